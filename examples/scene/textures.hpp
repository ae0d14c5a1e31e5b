// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vectors.hpp"

/// Eight textures of the ground, noise for masks and clouds, and normals of the water: bytes on a square that repeats.
namespace scene {

/// A texture of the ground: a pattern of stones and grains between two colors, blended into those below it by a
/// logistic function of the height.
struct Layer {
    Vec dark, light, band;  ///< band: height and width of the transition, and weight of noise that shifts it
    double stony;
    int stones, grains;  ///< along a side
};

constexpr std::array<Layer, 8> layers{{
    {{0.16, 0.15, 0.11}, {0.33, 0.31, 0.22}, {-99, 1, 0}, 0, 1, 6},           // silt: the base
    {{0.30, 0.27, 0.22}, {0.60, 0.55, 0.46}, {-3.2, 0.5, 1.2}, 0.75, 26, 8},  // gravel
    {{0.56, 0.47, 0.33}, {0.80, 0.71, 0.54}, {-0.9, 0.22, 0.5}, 0, 1, 50},    // sand
    {{0.19, 0.25, 0.08}, {0.42, 0.45, 0.20}, {0.55, 0.12, 0.9}, 0, 1, 40},    // meadow
    {{0.11, 0.17, 0.06}, {0.34, 0.38, 0.15}, {9, 1.6, 9}, 0.2, 34, 6},        // forest floor
    {{0.24, 0.21, 0.17}, {0.44, 0.39, 0.32}, {27, 2.5, 14}, 0.75, 18, 9},     // scree
    {{0.21, 0.20, 0.20}, {0.50, 0.48, 0.46}, {34, 3, 14}, 0.35, 7, 12},       // rock
    {{0.70, 0.75, 0.84}, {0.92, 0.94, 0.97}, {68, 1.6, 18}, 0, 1, 5},         // snow
}};
constexpr std::size_t noise_layer = 8, ripple_layer = 9, all_layers = 11;

inline std::size_t band_of(double height) {
    std::size_t band = 0;
    while (band + 1 < layers.size() && height > layers[band + 1].band[0]) ++band;
    return band;
}

/// x and y of the normal of waves in many directions that repeat on the square.
inline Vec ripple(double x, double y) {
    Vec slope{};
    Random random(77);
    for (int wave = 0; wave < 42; ++wave) {
        const Vec k{std::round(7 * random.normal()), std::round(7 * random.normal()), 0};
        const double phase = random.uniform(0, 2 * pi), size = length(k);
        if (size > 0) slope = slope + (0.24 * std::cos(2 * pi * (k[0] * x + k[1] * y) + phase) / pow(size, 1.5)) * k;
    }
    return slope;
}

inline double texel(std::size_t layer, double x, double y, std::uint64_t seed) {
    if (layer == noise_layer) return 1.6 * (octaves(x, y, 4, 6, seed + 800) - 0.5) + 0.5;
    if (layer > noise_layer) return 0.5 + 0.5 * ripple(x, y)[layer - ripple_layer];
    const auto& [dark, light, band, stony, along, grains] = layers[layer];
    const double grain = 1.3 * (octaves(x, y, grains, 4, seed + 100 * layer) - 0.5) + 0.5;
    const double cracks = smoothstep(0.12, 0, abs(octaves(x, y, along, 2, seed + layer) - 0.5));
    return grain * (1 - stony * cracks);
}

/// All textures, one after the other: the eight patterns, the noise, x and y of the normals.
struct Textures {
    static constexpr int side = 256;
    std::vector<std::uint8_t> bytes;

    explicit Textures(std::uint64_t seed) {
        for (std::size_t layer = 0; layer < all_layers; ++layer) {
            for (int t = 0; t < side * side; ++t) {
                const double value = texel(layer, (t % side + 0.5) / side, (t / side + 0.5) / side, seed);
                bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * clamp(value, 0.0, 1.0))));
            }
        }
    }

    /// The value at a place, linear between texels, 0 to 1.
    [[nodiscard]] double at(int layer, double x, double y) const {
        const double u = (x - std::floor(x)) * side + side - 0.5, v = (y - std::floor(y)) * side + side - 0.5;
        const int i = int(u), j = int(v);
        return bilinear(u - i, v - j, [&](int a, int b) {
            return bytes[std::size_t((layer * side + (j + b) % side) * side + (i + a) % side)] / 255.0;
        });
    }
};

}  // namespace scene
