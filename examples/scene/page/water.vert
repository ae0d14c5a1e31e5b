// Rings around the eye, finer near it, with small waves
uniform mat4 view;
out vec3 at;
out vec4 clipped;
void main() {
  float angle = radians(360.0) * float(gl_VertexID >> 1) / 256.0, ring = float(gl_InstanceID + (gl_VertexID & 1));
  float far = 0.3 * (pow(9000.0, ring / 160.0) - 1.0);
  at = vec3(eye.xy + far * vec2(cos(angle), sin(angle)), 0.0);
  float waves = sin(1.1 * at.x + 0.5 * at.y + 1.3 * time) + 0.7 * sin(1.4 * at.y - 0.6 * at.x + 1.7 * time);
  waves += 0.5 * sin(2.3 * at.x - 1.9 * at.y + 2.3 * time);
  at.z = 0.022 * waves * exp(-0.02 * far);
  clipped = view * vec4(at, 1.0);
  gl_Position = clipped;
}
