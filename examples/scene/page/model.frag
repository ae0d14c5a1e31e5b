// clip: 1 leaves out what lies below the water, -1 what lies above it
in vec3 at, normal, local;
in vec4 color;
flat in int kind;
uniform float clip;
out vec4 result;
void main() {
#ifdef CLIPPED
  if (clip * at.z < -0.02) discard;
#endif
#ifdef THIN
  result = vec4(color.rgb, 1.0);
#else
  vec3 n = normalize(normal), c = color.rgb, a = abs(n);
  vec2 uv = a.z > 0.7 ? local.xy : a.x > a.y ? local.yz : local.xz;
  if (kind == 5) c *= 0.55 + 0.9 * pattern(6.0, uv * vec2(0.35, 0.9)) * (0.6 + 0.8 * pattern(8.0, uv * 1.7));
  vec3 shade = foggy(lit(c, n, sunny(at, n), color.a), at), glow = c * (0.9 + 0.9 * sharp(8.0, uv));
  result = vec4(shown(kind == 4 ? glow : shade), 1.0);
#endif
}
