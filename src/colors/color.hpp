// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

namespace dunlin::picture {

/// sRGB, 0 to 255.
struct Color {
    std::uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Color&, const Color&) = default;
};

constexpr Color hex(std::uint32_t rgb) {
    return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb)};
}

/// Colors of labels: k labels use the first k. docs/pictures.md describes their choice and their distances for
/// color-blind readers.
constexpr std::array<Color, 20> palette = {hex(0x0072b2), hex(0xd55e00), hex(0x009e73), hex(0xcc79a7), hex(0xe69f00),
                                           hex(0x56b4e9), hex(0xa21413), hex(0x2fdbda), hex(0x8d237b), hex(0x7a7ced),
                                           hex(0x08622c), hex(0xcf2e88), hex(0xaa9752), hex(0xfaa0b0), hex(0x2049ba),
                                           hex(0xc50849), hex(0x9ad664), hex(0x11cb82), hex(0xbd6756), hex(0x09a8b3)};

constexpr Color other_color = hex(0xb4b4b4);  ///< labels beyond the palette, and points without a label
constexpr Color below_color = hex(0xd9dde2);  ///< points of a map below new ones
constexpr Color white = hex(0xffffff);
constexpr Color text_color = hex(0x222222);
constexpr Color faint_color = hex(0x767676);  ///< counts in the legend; 4.54:1 on white
constexpr Color edge_gray = hex(0x7d8894);    ///< edges between different labels, or without labels
constexpr Color frame_color = hex(0xe4e4e4);

/// Points without labels, from low to high density.
constexpr std::array<Color, 3> density_ramp = {hex(0x6aa5d8), hex(0x1f66ad), hex(0x08264d)};

/// Vertices of a graph, from low to high degree.
constexpr std::array<Color, 3> degree_ramp = {hex(0xe8b84a), hex(0xc8463c), hex(0x3d1546)};

/// Values, from low to high: nine colors of viridis (van der Walt and Smith 2015, public domain), whose lightness grows
/// evenly, also for color-blind readers.
constexpr std::array<Color, 9> value_ramp = {hex(0x440154), hex(0x472d7b), hex(0x3b528b), hex(0x2c728e), hex(0x21918c),
                                             hex(0x28ae80), hex(0x5ec962), hex(0xaddc30), hex(0xfde725)};

/// "#1a2b3c"
inline std::string code(Color color) { return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b); }

constexpr std::uint8_t blend(std::uint8_t from, std::uint8_t to, float share) {
    return static_cast<std::uint8_t>(static_cast<float>(from) +
                                     (static_cast<float>(to) - static_cast<float>(from)) * share + 0.5F);
}

/// Linear interpolation between two colors; share in [0, 1].
constexpr Color blend(Color from, Color to, float share) {
    return {blend(from.r, to.r, share), blend(from.g, to.g, share), blend(from.b, to.b, share)};
}

}  // namespace dunlin::picture
