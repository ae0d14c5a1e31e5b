// What all shaders share: light, air and sky. d: a direction from the eye.
precision highp float;
precision highp sampler2DArray;
precision highp sampler2DShadow;
uniform vec3 sun, eye;
uniform float time;
uniform sampler2DArray patterns;
uniform sampler2DShadow shadow;
uniform mat4 sunView;
const vec3 sunlight = vec3(1.0, 0.80, 0.56) * 2.5, skylight = vec3(0.40, 0.55, 0.80) * 0.7;

float pattern(float layer, vec2 at) { return texture(patterns, vec3(at, layer)).r; }
float sharp(float layer, vec2 at) { return textureLod(patterns, vec3(at, layer), 0.0).r; }

vec3 air(vec3 d) {
  float toSun = max(dot(d, sun), 0.0);
  vec3 blue = mix(vec3(0.43, 0.53, 0.65), vec3(0.045, 0.13, 0.36), 1.0 - exp(-3.6 * max(d.z, 0.0)));
  return blue + vec3(1.0, 0.66, 0.34) * (0.40 * pow(toSun, 5.0) * exp(-3.0 * max(d.z, 0.0)) + 0.25 * pow(toSun, 40.0));
}
vec3 sky(vec3 d) {
  vec3 c = air(d);
  vec2 at = d.xy / (max(d.z, 0.0) + 0.16) * 0.11;
  float cloud = sharp(8.0, at + 0.0012 * time) * 0.62 + sharp(8.0, 3.1 * at - 0.002 * time) * 0.38;
  float thick = smoothstep(0.50, 0.78, cloud) * smoothstep(0.0, 0.14, d.z);
  vec3 bright = mix(vec3(0.98, 0.93, 0.87), vec3(0.52, 0.56, 0.64), smoothstep(0.6, 0.9, cloud));
  c = mix(c, bright + 0.5 * vec3(1.0, 0.7, 0.4) * pow(max(dot(d, sun), 0.0), 6.0), 0.85 * thick);
  float around = atan(d.y, d.x) / 6.2831853;
  for (float i = 0.0; i < 3.0; ++i) {  // ridges of far mountains
    vec2 low = vec2((2.0 + i) * around, 0.17 + 0.3 * i), high = vec2(9.0 * around, 0.4 * i);
    float rise = 0.8 * sharp(8.0, low) + 0.25 * sharp(8.0, high);
    float above = smoothstep(-0.0015, 0.0015, d.z - (0.115 - 0.03 * i) * rise + 0.012);
    c = mix(mix(vec3(0.20, 0.29, 0.42) - 0.03 * i, air(vec3(d.xy, 0.0)), 0.60 - 0.17 * i), c, above);
  }
  return c + vec3(1.0, 0.9, 0.7) * 9.0 * smoothstep(0.9994, 0.9998, dot(d, sun));
}
vec3 foggy(vec3 c, vec3 at) {
  vec3 ray = at - eye;
  float far = length(ray);
  return mix(c, air(vec3(ray.xy / far, max(ray.z / far, 0.0))), 1.0 - exp(-0.0011 * far - pow(0.0012 * far, 2.0)));
}
vec3 lit(vec3 color, vec3 n, float light, float open) {
  vec3 ground = vec3(0.16, 0.15, 0.09);
  return color * (sunlight * light * max(dot(n, sun), 0.0) + open * mix(ground, skylight, 0.5 + 0.5 * n.z));
}
// Share of the sun that reaches a place, from four places of the shadow map
float sunny(vec3 at, vec3 n) {
  vec4 p = sunView * vec4(at + 0.12 * n, 1.0);
  vec3 where = p.xyz * 0.5 + 0.5;
  if (any(lessThan(where, vec3(0.0))) || any(greaterThan(where, vec3(1.0)))) return 1.0;
  float sum = 0.0, texel = 1.0 / float(textureSize(shadow, 0).x);
  for (float i = -0.8; i < 1.0; i += 1.6) for (float j = -0.8; j < 1.0; j += 1.6)
    sum += texture(shadow, where + vec3(vec2(i, j) * texel, -0.0006));
  return sum / 4.0;
}
vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }
// Filmic curve, then sRGB
vec3 shown(vec3 c) {
  c *= 0.82;
  return pow(clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0), vec3(1.0 / 2.2));
}
