in vec3 at, normal, local;
in vec4 color;
flat in int kind;
uniform float clip;
uniform vec2 rising;  // foot and height
out vec4 result;
void main() {
  if (clip * at.z < 0.0) discard;
  vec3 n = normalize(normal), d = normalize(at - eye);
  float up = (at.z - rising.x) / rising.y, facing = max(dot(n, -d), 0.0);
  float dense = 0.9 * facing * smoothstep(0.0, 0.02, up) * pow(1.0 - smoothstep(0.05, 1.0, up), 1.2);
  vec3 light = 0.34 + 0.30 * sunlight * (0.5 + 0.5 * dot(n, sun));
  vec3 c = mix(vec3(0.42, 0.41, 0.41), vec3(0.66, 0.64, 0.62), up) * light;
  result = vec4(shown(foggy(c, at)), dense);
}
