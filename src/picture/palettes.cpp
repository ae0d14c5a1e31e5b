// SPDX-License-Identifier: Apache-2.0
#include "picture/palettes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <dunlin/error.hpp>

#include "colors/palette_tables.hpp"
#include "io/fail.hpp"
#include "picture/scale.hpp"

namespace dunlin::picture {

std::span<const Color> colors_of(Palette palette_name) {
    switch (palette_name) {
        case Palette::automatic:
        case Palette::dunlin:
            return palette;
        case Palette::okabe_ito:
            return tables::okabe_ito;
        case Palette::tol_bright:
            return tables::tol_bright;
        case Palette::tol_muted:
            return tables::tol_muted;
        case Palette::tol_light:
            return tables::tol_light;
        case Palette::tableau10:
            return tables::tableau10;
        case Palette::glasbey:
            return tables::glasbey;
        case Palette::viridis:
            return value_ramp;
        case Palette::cividis:
            return tables::cividis;
        case Palette::magma:
            return tables::magma;
        case Palette::inferno:
            return tables::inferno;
        case Palette::plasma:
            return tables::plasma;
        case Palette::batlow:
            return tables::batlow;
        case Palette::greys:
            return tables::greys;
        case Palette::blues:
            return tables::blues;
        case Palette::rdbu:
            return tables::rdbu;
        case Palette::vik:
            return tables::vik;
        case Palette::purple_green:
            return tables::purple_green;
        case Palette::twilight:
            return tables::twilight;
        case Palette::roma_o:
            return tables::roma_o;
    }
    return palette;
}

bool is_of_labels(Palette palette_name) { return palette_name >= Palette::dunlin && palette_name < Palette::viridis; }

std::optional<Color> color_named(std::string_view text) {
    std::string opaque(text);
    std::transform(opaque.begin(), opaque.end(), opaque.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (opaque.size() == 9 && opaque.ends_with("ff")) opaque.resize(7);
    if (opaque.size() != 7 || opaque[0] != '#') return {};
    std::uint32_t rgb = 0;
    const char* const end = opaque.data() + opaque.size();
    const auto [after, fault] = std::from_chars(opaque.data() + 1, end, rgb, 16);
    if (fault != std::errc() || after != end) return {};
    return hex(rgb);
}

std::vector<Color> own_colors(const Options& options) {
    std::vector<Color> own;
    for (const LabelColor& each : options.colors) {
        const std::optional<Color> color = color_named(each.color);
        if (!color) {
            throw Error(Fault::bad_input,
                        fmt::format("picture: '{}' is no color; give one such as #1a2b3c", io::shown(each.color)));
        }
        if (each.label.empty()) own.push_back(*color);
    }
    return own;
}

std::vector<Color> label_colors(const Options& options, std::size_t count) {
    std::vector<Color> colors = own_colors(options);
    if (!colors.empty()) return colors;
    const std::span<const Color> all = colors_of(options.palette);
    if (options.palette == Palette::automatic || is_of_labels(options.palette)) return {all.begin(), all.end()};
    constexpr std::size_t most = 20;  // beyond, neighbors of a scale look alike
    count = std::min(std::max<std::size_t>(count, 1), most);
    for (std::size_t c = 0; c < count; ++c)
        colors.push_back(on_ramp(all, count > 1 ? static_cast<float>(c) / static_cast<float>(count - 1) : 0.5F));
    return colors;
}

std::vector<Color> scale_colors(const Options& options) {
    std::vector<Color> colors = own_colors(options);
    if (colors.size() == 1)
        throw Error(Fault::bad_input, "picture: a scale of numbers has one color; give at least two");
    if (!colors.empty()) return colors;
    if (is_of_labels(options.palette)) {
        std::string scales;
        for (const std::string_view name : names(Palette{})) {
            const Palette each = *value_named<Palette>(name);
            if (each >= Palette::viridis) scales += (scales.empty() ? "" : ", ") + std::string(name);
        }
        throw Error(Fault::bad_input,
                    fmt::format("picture: palette {} is of labels, and the colors show numbers; give {}",
                                name_of(options.palette), scales));
    }
    const std::span<const Color> all = options.palette == Palette::automatic ? value_ramp : colors_of(options.palette);
    return {all.begin(), all.end()};
}

}  // namespace dunlin::picture
