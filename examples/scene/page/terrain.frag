// Eight textures, each blended into those below it by a logistic function of the height, shifted by noise
in vec3 at, normal, local;
in vec4 color;
flat in int kind;
uniform float clip;
uniform vec3 dark[8], light[8], band[8];  // colors; height, width, noise
out vec4 result;
void main() {
#ifdef CLIPPED
  if (clip * at.z < -0.02) discard;
#endif
  vec3 n = normalize(normal), c = vec3(0.0);
  float mask = 0.6 * pattern(8.0, at.xy / 90.0) + 0.4 * pattern(8.0, at.xy / 13.0) - 0.5, bump = 0.0;
  float height = at.z + 26.0 * smoothstep(0.45, 1.2, length(n.xy) / n.z) * smoothstep(4.0, 12.0, at.z);
  for (int i = 0; i < 8; ++i) {
    float detail = 0.6 * pattern(float(i), at.xy / 4.7) + 0.4 * pattern(float(i), at.xy / 23.0);
    float share = i == 0 ? 1.0 : 1.0 / (1.0 + exp(-(height + 2.0 * band[i].z * mask - band[i].x) / band[i].y));
    if (i == 7) share *= 1.0 - smoothstep(0.7, 1.5, length(n.xy) / n.z);
    c = mix(c, mix(linear(dark[i]), linear(light[i]), detail), share);
    bump = mix(bump, detail, share);
  }
  vec3 u = dFdx(at), v = dFdy(at), across = cross(v, n), along = cross(n, u);
  float area = dot(u, across);
  vec3 rise = sign(area) * (dFdx(bump) * across + dFdy(bump) * along);
  vec3 rough = normalize(abs(area) * n - 0.05 * rise + 1e-9 * n);
  float wet = 1.0 - smoothstep(0.0, 0.35, at.z);  // at the shore
  c *= (1.0 - 0.45 * wet) * (0.8 + 0.4 * pattern(8.0, at.xy / 37.0));
  result = vec4(shown(foggy(lit(c, rough, sunny(at, n), 1.0), at)), 1.0);
}
