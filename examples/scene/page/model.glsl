// Kinds of parts: leaves move in the wind and let light through, wings beat, panes glow. Is C++ too, as light.glsl.
const int PLAIN = 0, TERRAIN = 1, LEAF = 2, WING = 3, GLOW = 4, BARK = 5, GRASS = 6, SMOKE = 7;
// A wing turns around the body, the y axis; then a model by its pitch around x, and by its yaw around z
vec3 turn(vec3 v, real yaw, real pitch, real beat) {
  v = vec3(v[0] * cos(beat) - v[2] * sin(beat), v[1], v[0] * sin(beat) + v[2] * cos(beat));
  v = vec3(v[0], cos(pitch) * v[1] - sin(pitch) * v[2], sin(pitch) * v[1] + cos(pitch) * v[2]);
  return vec3(cos(yaw) * v[0] - sin(yaw) * v[1], sin(yaw) * v[0] + cos(yaw) * v[1], v[2]);
}
