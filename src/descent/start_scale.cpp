// SPDX-License-Identifier: Apache-2.0
#include "descent/start_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <dunlin/descent.hpp>
#include <dunlin/error.hpp>

namespace dunlin::descent {

namespace {

constexpr double narrowest = 1e-8;  ///< of the method's own start: the square of float32's resolution is 4e-15

std::vector<double> center_of(const Map& map) {
    std::vector<double> center(static_cast<std::size_t>(map.dim));
    for (Index i = 0; i < map.size(); ++i)
        for (std::size_t c = 0; c < static_cast<std::size_t>(map.dim); ++c)
            center[c] += static_cast<double>(map.view()(i, static_cast<Index>(c))) / map.size();
    return center;
}

/// Distances from the center along the axes.
struct StartWidth {
    double rms = 0;        ///< of the whole distance
    double deviation = 0;  ///< along the widest axis
    double largest = 0;
};
StartWidth width_of(const Map& map) {
    const std::vector<double> center = center_of(map);
    std::vector<double> squares(static_cast<std::size_t>(map.dim));
    StartWidth extent;
    for (Index i = 0; i < map.size(); ++i) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(map.dim); ++c) {
            const double from = static_cast<double>(map.view()(i, static_cast<Index>(c))) - center[c];
            squares[c] += from * from / map.size();
            extent.largest = std::max(extent.largest, std::abs(from));
        }
    }
    extent.rms = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
    extent.deviation = std::sqrt(*std::max_element(squares.begin(), squares.end()));
    return extent;
}

}  // namespace

double start_scale(const Map& start, const StartRule& rule) {
    if (start.size() < 2) return 1;
    const auto axes = static_cast<std::size_t>(start.dim);
    // Compares coordinates with each other, not with the center, which is rounded
    bool is_one_place = true;
    for (std::size_t k = axes; k < start.coordinates.size() && is_one_place; ++k)
        is_one_place = start.coordinates[k] == start.coordinates[k % axes];
    const StartWidth extent = width_of(start);
    if (is_one_place) {
        throw Error(Fault::bad_input,
                    fmt::format("all {} points of the start are at one place, where no force moves them apart; give "
                                "places that differ, or leave the start out",
                                start.size()),
                    {.option = "start"});
    }
    if (extent.rms <= rule.widest && extent.rms >= narrowest * rule.own) return 1;
    return rule.own / (rule.by_largest ? extent.largest : extent.deviation);
}

Map scaled_start(const Map& start, double factor) {
    const std::vector<double> center = center_of(start);
    Map scaled = start;
    const auto axes = static_cast<std::size_t>(start.dim);
    for (std::size_t k = 0; k < scaled.coordinates.size(); ++k)
        scaled.coordinates[k] =
            static_cast<float>((static_cast<double>(start.coordinates[k]) - center[k % axes]) * factor);
    return scaled;
}

std::string start_note(double scale) {
    return fmt::format("scaled by {:.2g}, to the width of the method's own start: {}", scale,
                       scale < 1 ? "it is far wider than its maps, and points so far apart do not find their places"
                                 : "it is so narrow that rounding would decide where points go");
}

}  // namespace dunlin::descent
