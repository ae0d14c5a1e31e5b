in vec3 at, normal;
in vec4 color;
flat in int kind;
uniform float clip;  // 1 leaves out what lies below the water, -1 what lies above it
out vec4 result;
void main() {
  if (clip * at.z < -0.02) discard;
  vec3 n = normalize(normal), d = normalize(at - eye), c = kind == TERRAIN ? ground(at, n) : color.rgb;
  result = vec4(shown(surface(kind, c, color.a, at, n, d)), opacity(kind, at, n, d));
}
