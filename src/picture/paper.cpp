// SPDX-License-Identifier: Apache-2.0
#include "picture/paper.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::picture {

namespace {

constexpr double least_side = 100, largest_side = 16000;  // pixels

/// Units of a length, in inches; 0: pixels.
constexpr std::array<std::pair<std::string_view, double>, 5> units{
    {{"mm", 1 / 25.4}, {"cm", 1 / 2.54}, {"in", 1}, {"pt", 1 / 72.0}, {"px", 0}}};

/// A size as it is written: 89x70mm.
struct FigureSize {
    double width = 0, height = 0;
    double inches = 0;       ///< of its unit; 0: pixels
    bool is_square = false;  ///< no height is given
};

[[noreturn]] void refuse(const std::string& text) {
    throw Error(
        Fault::bad_input,
        fmt::format("figure-size is '{}'; it must be a width, or width x height, with a unit of mm, cm, in, pt or "
                    "px: 89mm, 89x70mm, 3.5in, 1200px",
                    text),
        {.option = "figure-size"});
}

FigureSize read_size(const std::string& text) {
    FigureSize size;
    const char *at = text.data(), *const end = at + text.size();
    const auto read = [&](double& number) {
        const auto [after, fault] = std::from_chars(at, end, number);
        if (fault != std::errc()) refuse(text);
        at = after;
    };
    read(size.width);
    size.height = size.width;
    size.is_square = at == end || *at != 'x';
    if (!size.is_square) {
        ++at;
        read(size.height);
    }
    for (const auto& [name, inches] : units) {
        if (std::string_view(at, end) != name) continue;
        size.inches = inches;
        if (size.width > 0 && size.height > 0) return size;
    }
    refuse(text);
}

void check_side(std::string_view name, double pixels) {
    if (pixels >= least_side && pixels <= largest_side) return;
    throw Error(Fault::bad_input,
                fmt::format("{}: {:.6g} pixels; use {} to {}", name, pixels, least_side, largest_side),
                {.option = std::string(name)});
}

}  // namespace

Paper paper_of(const Options& options, int columns, int rows) {
    constexpr double print_dpi = 300, screen_dpi = 96;
    constexpr float print_points = 7;
    const Options none;
    if (!options.figure_size.empty() && (options.width != none.width || options.height != none.height)) {
        throw Error(Fault::bad_input, "figure-size is given beside width or height; leave one out",
                    {.option = "figure-size"});
    }
    FigureSize size = options.figure_size.empty()
                          ? FigureSize{1.0 * columns * options.width, 1.0 * rows * options.height}
                          : read_size(options.figure_size);
    if (size.is_square) size.height = size.width * rows / columns;
    const bool is_length = size.inches > 0;
    const double dpi = options.dpi ? static_cast<double>(*options.dpi) : is_length ? print_dpi : screen_dpi;
    const double pixels = is_length ? size.inches * dpi : 1;
    Paper paper{size.width * pixels, size.height * pixels, dpi, is_length || options.dpi, 0};
    check_side(options.figure_size.empty() ? "width" : "figure-size", paper.width);
    check_side(options.figure_size.empty() ? "height" : "figure-size", paper.height);
    if (options.font_size || is_length)
        paper.text = options.font_size.value_or(print_points) * static_cast<float>(dpi / 72);
    return paper;
}

}  // namespace dunlin::picture
