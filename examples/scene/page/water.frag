in vec3 at;
in vec4 clipped;
uniform sampler2D refraction, reflection, depth;
uniform vec2 range;  // of depths, near and far
out vec4 result;
float away(float d) { return range.x * range.y / (range.y - d * (range.y - range.x)); }
vec2 ripple(vec2 where) {  // normals of the water at two scales that move apart
  return vec2(pattern(9.0, where + 0.021 * time), pattern(10.0, where + 0.021 * time)) +
         vec2(pattern(9.0, 1.7 * where.yx - 0.017 * time), pattern(10.0, 1.7 * where.yx - 0.017 * time)) - 1.0;
}
void main() {
  vec2 screen = clipped.xy / clipped.w * 0.5 + 0.5;
  vec3 ray = at - eye, d = normalize(ray);
  float far = length(ray), calm = 1.0 / (1.0 + 0.012 * far);
  vec2 fine = ripple(at.xy / 9.0), coarse = ripple(at.xy / 31.0);
  float here = away(gl_FragCoord.z);
  float bottom = away(texture(depth, screen).r) - here;  // way through the water, along the axis of the view
  vec2 bent = screen + 0.035 * fine * calm * min(bottom, 1.0);
  float through = away(texture(depth, bent).r) - here;
  if (through < 0.0) { bent = screen; through = bottom; }
  through *= far / here;
  float deep = through * max(-d.z, 0.02);
  // Refraction: clouded by depth, with caustics in the shallows
  float caustic = pow(max(1.0 - 2.2 * length(ripple(at.xy / 5.0 + 0.4 * fine)), 0.0), 2.0);
  vec3 below = texture(refraction, bent).rgb * (1.0 + 0.5 * caustic * exp(-1.1 * deep) * smoothstep(0.05, 0.4, deep));
  vec3 murk = vec3(0.10, 0.235, 0.245);
  below = mix(below * exp(-deep * vec3(0.55, 0.20, 0.22)), murk, 1.0 - exp(-0.20 * through - 0.12 * deep));
  // Reflection, shifted by the ripples
  vec3 mirrored = texture(reflection, vec2(screen.x, screen.y) + vec2(0.030, 0.055) * fine * calm).rgb;
  vec3 n = normalize(vec3((0.16 * fine + 0.10 * coarse) * calm, 1.0));
  float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(-d, n), 0.0), 5.0);
  vec3 wide = normalize(vec3(0.10 * coarse + 0.13 * fine, 1.0));
  float glint = pow(max(dot(reflect(d, wide), sun), 0.0), 350.0);
  vec3 color = mix(below, mirrored, clamp(fresnel, 0.0, 0.92)) + vec3(1.0, 0.85, 0.62) * glint;
  vec3 fog = shown(air(vec3(d.xy, 0.0)));
  color = mix(color, fog, 1.0 - exp(-pow(0.0011 * far, 2.0)));
  result = vec4(color, smoothstep(0.0, 0.16, deep + 0.02 * (fine.x + fine.y)));  // soft at the shore
}
