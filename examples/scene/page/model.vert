// Copies of a model
layout(location = 0) in vec4 packed;     // share of the reach; part
layout(location = 1) in vec4 direction;  // normal; shade
layout(location = 2) in vec4 place;      // and scale
layout(location = 3) in vec3 turned;     // yaw, pitch, beat
uniform float reach;
uniform vec4 parts[20];  // color and kind
uniform mat4 view;
uniform float mirror;
out vec3 at, normal;
out vec4 color;  // and shade
flat out int kind;
invariant gl_Position;

void main() {
  int part = int(packed.w * 32767.0 + 0.5);
  kind = int(parts[part].w + 0.5);
  vec3 local = reach * packed.xyz;
  float beat = kind == WING ? sign(local.x) * turned.z : 0.0;
  at = place.xyz + place.w * turn(local, turned.x, turned.y, beat);
  normal = normalize(turn(direction.xyz, turned.x, turned.y, beat));
  float gust = sin(0.7 * time + 0.09 * at.x + 0.05 * at.y) + 0.5 * sin(3.1 * time + 2.3 * at.x + 1.9 * at.y + at.z);
  if (kind == LEAF || kind == GRASS) at.xy += (kind == GRASS ? 0.10 : 0.010) * local.z * gust * vec2(0.8, 0.4);
  color = 2.0 * direction.w * vec4(linear(parts[part].rgb), 1.0);
  gl_Position = view * vec4(at.xy, mirror * at.z, 1.0);
}
