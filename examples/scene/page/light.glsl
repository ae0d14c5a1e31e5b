// Light, air and water: formulas of the page's shaders and of the still, which includes them as C++. Both supply real,
// vec2, vec3, sun, eye, time, foot, layers and the functions named before their use. d: a direction from the eye.
const vec3 sunlight = 2.5 * vec3(1.0, 0.80, 0.56), skylight = 0.7 * vec3(0.40, 0.55, 0.80);

vec3 linear(vec3 c) { return vec3(pow(c[0], 2.2), pow(c[1], 2.2), pow(c[2], 2.2)); }
real shown(real c) {  // filmic curve, then sRGB
  c *= 0.82;
  return pow(clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0), 1.0 / 2.2);
}
vec3 shown(vec3 c) { return vec3(shown(c[0]), shown(c[1]), shown(c[2])); }

vec3 air(vec3 d) {
  real to_sun = max(dot(d, sun), 0.0), up = max(d[2], 0.0);
  vec3 blue = mix(vec3(0.43, 0.53, 0.65), vec3(0.045, 0.13, 0.36), 1.0 - exp(-3.6 * up));
  return blue + (0.40 * pow(to_sun, 5.0) * exp(-3.0 * up) + 0.25 * pow(to_sun, 40.0)) * vec3(1.0, 0.66, 0.34);
}
vec3 sky(vec3 d) {  // by sharp(), a texture as it is
  vec2 at = 0.11 / (max(d[2], 0.0) + 0.16) * vec2(d[0], d[1]), drift = time * vec2(0.001, 0.001);
  real cloud = 0.62 * sharp(8, at + 1.2 * drift) + 0.38 * sharp(8, 3.1 * at - 2.0 * drift), to_sun = dot(d, sun);
  vec3 bright = mix(vec3(0.98, 0.93, 0.87), vec3(0.52, 0.56, 0.64), smoothstep(0.6, 0.9, cloud));
  bright = bright + 0.5 * pow(max(to_sun, 0.0), 6.0) * vec3(1.0, 0.7, 0.4);
  vec3 c = mix(air(d), bright, 0.85 * smoothstep(0.50, 0.78, cloud) * smoothstep(0.0, 0.14, d[2]));
  return c + 9.0 * smoothstep(0.9994, 0.9998, to_sun) * vec3(1.0, 0.9, 0.7);
}
vec3 foggy(vec3 c, vec3 at) {
  real far = length(at - eye);
  return mix(c, air(normalize(at - eye)), 1.0 - exp(-0.0011 * far - pow(0.0012 * far, 2.0)));
}

// The ground: each texture is blended into those below it by a logistic function of the height, shifted by noise
vec3 ground(vec3 at, vec3 n) {
  vec2 p = vec2(at[0], at[1]);
  real mask = 0.6 * pattern(8, p / 90.0) + 0.4 * pattern(8, p / 13.0) - 0.5, steep = length(vec2(n[0], n[1])) / n[2];
  real height = at[2] + 26.0 * smoothstep(0.45, 1.2, steep) * smoothstep(4.0, 12.0, at[2]);
  vec3 c = vec3(0.0);
  for (int i = 0; i < 8; ++i) {
    Layer its = layer_at(i);
    real share = i == 0 ? 1.0 : 1.0 / (1.0 + exp(-(height + 2.0 * its.band[2] * mask - its.band[0]) / its.band[1]));
    if (i == 7) share *= 1.0 - smoothstep(0.7, 1.5, steep);
    real detail = 0.6 * pattern(i, p / 4.7) + 0.4 * pattern(i, p / 23.0);
    c = mix(c, mix(linear(its.dark), linear(its.light), detail), share);
  }
  return (0.55 + 0.45 * smoothstep(0.0, 0.35, at[2])) * (0.8 + 0.4 * pattern(8, p / 37.0)) * c;  // wet at the shore
}

// The light from a surface. c: its color; open: share of the sky that it sees; sunny(): share of the sun at a place
vec3 surface(int kind, vec3 c, real open, vec3 at, vec3 n, vec3 d) {
  if (kind == GLOW) return 1.4 * c;
  if (kind == SMOKE) c = mix(vec3(0.42, 0.41, 0.41), vec3(0.66, 0.64, 0.62), (at[2] - foot) / 12.5);
  if (kind == SMOKE) return foggy(c * (vec3(0.34) + (0.15 + 0.15 * dot(n, sun)) * sunlight), at);
  vec2 p = abs(n[0]) > abs(n[1]) ? vec2(at[1], at[2]) : vec2(at[0], at[2]);
  if (abs(n[2]) > 0.7) p = vec2(at[0], at[1]);
  real grain = pattern(6, vec2(0.35 * p[0], 0.9 * p[1])) * (0.6 + 0.8 * pattern(8, 1.7 * p));
  if (kind == BARK) c = (0.55 + 0.9 * grain) * c;
  bool thin = kind == LEAF || kind == WING || kind == GRASS;
  if (thin && kind != GRASS && dot(n, d) > 0.0) n = -1.0 * n;
  real sunshine = sunny(at + 0.12 * n), to_sun = dot(n, sun);
  vec3 around = mix(vec3(0.16, 0.15, 0.09), skylight, 0.5 + 0.5 * n[2]);
  vec3 sum = sunshine * max(to_sun, 0.0) * sunlight + min(open, 1.1) * around;
  real through = 0.30 * max(-to_sun, 0.0) + 0.45 * pow(max(dot(d, sun), 0.0), 4.0);
  if (thin) sum = sum + sunshine * through * sunlight * vec3(1.0, 1.05, 0.5);
  return foggy(c * sum, at);
}
// How much of what lies behind a surface it hides
real opacity(int kind, vec3 at, vec3 n, vec3 d) {
  real up = (at[2] - foot) / 12.5, thinner = smoothstep(-0.03, 0.01, up) * pow(1.0 - smoothstep(0.05, 1.0, up), 1.2);
  return kind == SMOKE ? 0.9 * max(-dot(n, d), 0.0) * thinner : 1.0;
}

vec2 ripple(vec2 p) {  // normals of the water at two scales that move apart
  vec2 a = p + 0.021 * time * vec2(1.0, 1.0), b = 1.7 * vec2(p[1], p[0]) - 0.017 * time * vec2(1.0, 1.0);
  return vec2(pattern(9, a) + pattern(9, b) - 1.0, pattern(10, a) + pattern(10, b) - 1.0);
}
// The water at a place of the screen at this distance along the axis of the view, as shown. below(), above(): what is
// seen there through the water and mirrored, as shown; away(): distance of what lies below.
vec3 water(vec3 at, vec2 screen, real here) {
  vec3 d = normalize(at - eye);
  real far = length(at - eye), calm = 1.0 / (1.0 + 0.012 * far), straight = away(screen) - here;
  vec2 p = vec2(at[0], at[1]), fine = ripple(p / 9.0), coarse = ripple(p / 31.0);
  vec2 bent = screen + 0.035 * calm * min(straight, 1.0) * fine;
  if (away(bent) < here) bent = screen;
  real through = (away(bent) - here) * far / here, deep = through * max(-d[2], 0.02);
  // Refraction: clouded by depth, with caustics in the shallows
  real caustic = pow(max(1.0 - 2.2 * length(ripple(p / 5.0 + 0.4 * fine)), 0.0), 2.0);
  vec3 low = (1.0 + 0.5 * caustic * exp(-1.1 * deep) * smoothstep(0.05, 0.4, deep)) * below(bent);
  low = low * vec3(exp(-0.55 * deep), exp(-0.20 * deep), exp(-0.22 * deep));
  low = mix(low, vec3(0.10, 0.235, 0.245), 1.0 - exp(-0.20 * through - 0.12 * deep));
  // Reflection, shifted by the ripples, by Fresnel's term, and speculars of the sun
  vec3 mirrored = above(screen + calm * vec2(0.030 * fine[0], 0.055 * fine[1]));
  vec3 n = normalize(vec3(calm * (0.16 * fine + 0.10 * coarse), 1.0));
  vec3 wide = normalize(vec3(0.10 * coarse + 0.13 * fine, 1.0)), back = d - 2.0 * dot(d, wide) * wide;
  vec3 c = mix(low, mirrored, min(0.02 + 0.98 * pow(1.0 - max(-dot(d, n), 0.0), 5.0), 0.92));
  c = c + pow(max(dot(back, sun), 0.0), 350.0) * vec3(1.0, 0.85, 0.62);
  c = mix(c, shown(air(vec3(d[0], d[1], 0.0))), 1.0 - exp(-pow(0.0011 * far, 2.0)));
  return mix(below(screen), c, smoothstep(0.0, 0.16, deep + 0.02 * (fine[0] + fine[1])));  // soft at the shore
}
