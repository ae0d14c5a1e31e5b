// Copies of a model. Leaves and grass move in the wind; wings turn around the body; all three are lit at vertices.
layout(location = 0) in vec4 packed;     // place in the box; part
layout(location = 1) in vec4 direction;  // normal; shade
layout(location = 2) in vec4 place;      // and scale
layout(location = 3) in vec3 turned;     // yaw, pitch, beat
uniform vec3 low, size;
uniform vec4 parts[20];  // color and kind
uniform mat4 view;
uniform float mirror;
out vec3 at, normal, local;
out vec4 color;  // and shade
flat out int kind;
invariant gl_Position;

vec2 turn(vec2 v, float angle) { return mat2(cos(angle), sin(angle), -sin(angle), cos(angle)) * v; }
vec3 turn(vec3 v, float side) {
  if (kind == 3) v.xz = turn(v.xz, side * turned.z);
  v.yz = turn(v.yz, turned.y);
  return vec3(turn(v.xy, turned.x), v.z);
}
vec3 thin(vec3 c, vec3 n, vec3 d) {
  if (kind != 6 && dot(n, d) > 0.0) n = -n;
  float light = sunny(at, vec3(0.0)), through = 0.30 * max(dot(-n, sun), 0.0) + 0.45 * pow(max(dot(d, sun), 0.0), 4.0);
  return shown(foggy(lit(c, n, light, min(color.a, 1.1)) + c * sunlight * light * vec3(1.0, 1.05, 0.5) * through, at));
}
void main() {
  int part = int(packed.w * 65535.0 + 0.5);
  kind = int(parts[part].w + 0.5);
  local = low + size * packed.xyz;
  at = place.xyz + place.w * turn(local, sign(local.x));
  normal = normalize(turn(direction.xyz, sign(local.x)));
  float gust = sin(0.7 * time + 0.09 * at.x + 0.05 * at.y) + 0.5 * sin(3.1 * time + 2.3 * at.x + 1.9 * at.y + at.z);
  if (kind == 2 || kind == 6) at.xy += (kind == 6 ? 0.10 : 0.010) * local.z * gust * vec2(0.8, 0.4);
  color = vec4(linear(parts[part].rgb) * 2.0 * direction.w, 2.0 * direction.w);
#ifdef THIN
  color.rgb = thin(color.rgb, normal, normalize(at - eye));
#endif
  gl_Position = view * vec4(at.xy, mirror * at.z, 1.0);
}
