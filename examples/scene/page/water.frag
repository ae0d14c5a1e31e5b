in vec3 at;
in vec4 clipped;
out vec4 result;
void main() { result = vec4(water(at, clipped.xy / clipped.w * 0.5 + 0.5, clipped.w), 1.0); }
