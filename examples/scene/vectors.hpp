// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include <dunlin/types.hpp>

/// Vectors with the names of GLSL, so that light.glsl is C++ too; random numbers; tileable noise. z is up, in meters.
namespace scene {

using dunlin::Index, dunlin::Offset;
using std::abs, std::clamp, std::cos, std::exp, std::max, std::min, std::pow, std::sin;
constexpr double pi = 3.141592653589793;

struct Vec : std::array<double, 3> {
    constexpr Vec() : array{} {}
    constexpr explicit Vec(double all) : array{all, all, all} {}
    constexpr Vec(double x, double y, double z = 0) : array{x, y, z} {}
    constexpr Vec(const Vec& xy, double z) : array{xy[0], xy[1], z} {}
};

using real = double;
using vec2 = Vec;
using vec3 = Vec;

inline Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator*(const Vec& a, const Vec& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }
inline Vec operator*(double s, const Vec& a) { return Vec(s) * a; }
inline Vec operator/(const Vec& a, double s) { return 1 / s * a; }
inline Vec operator-(const Vec& a, const Vec& b) { return a + -1.0 * b; }
inline double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec& a) { return std::sqrt(dot(a, a)); }
inline double distance(const Vec& a, const Vec& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }  ///< in the plane
inline bool in_cube(const Vec& p) { return min({p[0], p[1], p[2]}) >= 0 && max({p[0], p[1], p[2]}) < 1; }
inline Vec normalize(const Vec& a) { return length(a) > 0 ? a / length(a) : Vec{0, 0, 1}; }
template <class T>
T mix(const T& a, const T& b, double share) {
    return (1 - share) * a + share * b;
}
inline double smoothstep(double low, double high, double x) {
    const double t = clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}
/// A unit vector across `a`.
inline Vec across(const Vec& a) { return normalize(cross(a, std::abs(a[2]) < 0.9 ? Vec{0, 0, 1} : Vec{1, 0, 0})); }
/// `a` turned by an angle around the unit vector `axis`, to which it is perpendicular.
inline Vec turned(const Vec& a, const Vec& axis, double angle) {
    return std::cos(angle) * a + std::sin(angle) * cross(axis, a);
}
/// The mean of the values at four nodes, weighted by where a place lies between them.
template <class Node>
double bilinear(double u, double v, const Node& node) {
    return mix(mix(node(0, 0), node(1, 0), u), mix(node(0, 1), node(1, 1), u), v);
}

/// Random numbers that are the same with every standard library.
struct Random {
    std::mt19937_64 bits;
    explicit Random(std::uint64_t seed) : bits(seed) {}
    double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }
    double normal() {
        const double u = uniform(0x1p-60, 1), v = uniform(0, 1);
        return std::sqrt(-2 * std::log(u)) * std::cos(2 * pi * v);
    }
    /// The angle of one of `count` directions around an axis, with some scatter.
    double around(int i, int count) { return 2 * pi * (i + uniform(-0.2, 0.2)) / count; }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(uniform(0, double(bound))); }
};

/// A number from 0 to 1 for a node of a lattice.
inline double hash(std::int64_t x, std::int64_t y, std::uint64_t seed) {
    std::uint64_t h =
        std::uint64_t(x) * 0x9E3779B97F4A7C15U ^ std::uint64_t(y) * 0xC2B2AE3D27D4EB4FU ^ seed * 0x165667B19E3779F9U;
    for (const int shift : {31, 29, 32}) h = (h ^ h >> shift) * 0xBF58476D1CE4E5B9U;
    return static_cast<double>(h >> 11) * 0x1p-53;
}

/// The sum of octaves of noise on the unit square, which repeats; the first has `period` nodes; from 0 to 1.
inline double octaves(double x, double y, int period, int count, std::uint64_t seed) {
    double sum = 0, weight = 1, all = 0;
    for (int o = 0; o < count; ++o, period *= 2, weight *= 0.55) {
        const double i = std::floor(x * period), j = std::floor(y * period);
        const auto node = [&](int a, int b) {
            return hash((int(i) + a + period) % period, (int(j) + b + period) % period, seed + std::uint64_t(o));
        };
        sum += weight * bilinear(smoothstep(0, 1, x * period - i), smoothstep(0, 1, y * period - j), node);
        all += weight;
    }
    return sum / all;
}

}  // namespace scene
