// What light.glsl needs of the page's shaders
#define real float
precision highp float;
precision highp sampler2DArray;
precision highp sampler2DShadow;
precision highp sampler2D;
struct Layer { vec3 dark, light, band; };
uniform Layer layers[8];
uniform vec3 sun, eye;
uniform float time, foot;
uniform mat4 sunView;
uniform sampler2DArray patterns;
uniform sampler2DShadow shadow;
uniform sampler2D refraction, reflection, depth;
const float NEAR = 0.15, FAR = 3000.0;

Layer layer_at(int i) { return layers[i]; }
float pattern(int layer, vec2 at) { return texture(patterns, vec3(at, layer)).r; }
float sharp(int layer, vec2 at) { return textureLod(patterns, vec3(at, layer), 0.0).r; }
float sunny(vec3 at) {  // from four places of the shadow map
  vec3 where = (sunView * vec4(at, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(where, vec3(0.0))) || any(greaterThan(where, vec3(1.0)))) return 1.0;
  float sum = 0.0, texel = 1.0 / float(textureSize(shadow, 0).x);
  for (float i = -0.8; i < 1.0; i += 1.6) for (float j = -0.8; j < 1.0; j += 1.6)
    sum += texture(shadow, where + vec3(vec2(i, j) * texel, -0.0006));
  return sum / 4.0;
}
vec3 below(vec2 screen) { return texture(refraction, screen).rgb; }
vec3 above(vec2 screen) { return texture(reflection, screen).rgb; }
float away(vec2 screen) { return NEAR * FAR / (FAR - texture(depth, screen).r * (FAR - NEAR)); }
