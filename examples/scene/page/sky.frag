in vec2 screen;
uniform vec3 ahead, right, up;  // right and up have the lengths of the picture's halves
out vec4 result;
void main() { result = vec4(shown(sky(normalize(ahead + screen.x * right + screen.y * up))), 1.0); }
