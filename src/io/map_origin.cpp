// SPDX-License-Identifier: Apache-2.0
#include "io/map_origin.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/narrowed_number.hpp"
#include "io/shift.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// `value` rounded to `digits` significant decimal digits.
double rounded(double value, int digits) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1).ptr;
    double parsed = value;
    std::from_chars(text, end, parsed);
    return parsed;
}

std::vector<double> sampled_origin(int dim, const std::vector<double>& coordinates) {
    const auto points = static_cast<Index>(coordinates.size() / at(dim));
    const Index sampled = std::min(points, sample_size(at(dim)));
    std::vector<double> sample;
    sample.reserve(at(sampled) * at(dim));
    for (Index i = 0; i < sampled; ++i) {
        const auto row = coordinates.begin() + Offset{sampled_row(i, sampled, points)} * dim;
        sample.insert(sample.end(), row, row + dim);
    }
    return choose_shift(sample, dim);
}

}  // namespace

void drop_zeros(std::vector<double>& origin) {
    if (std::all_of(origin.begin(), origin.end(), [](double axis) { return axis == 0; })) origin.clear();
}

Map map_of(int dim, const std::vector<double>& coordinates, const std::optional<std::vector<double>>& origin) {
    const bool is_given = origin && origin->size() == at(dim);
    Map map{dim, {}, is_given ? *origin : sampled_origin(dim, coordinates)};
    drop_zeros(map.origin);
    map.coordinates.reserve(coordinates.size());
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const double less = map.origin.empty() ? 0 : map.origin[i % at(dim)];
        map.coordinates.push_back(narrowed_number(coordinates[i], less).stored);
    }
    return map;
}

double coordinate_of(const Map& map, Index point, int axis) {
    const float stored = map.view()(point, axis);
    if (map.origin.empty()) return static_cast<double>(stored);
    const double origin = map.origin[at(axis)], value = origin + static_cast<double>(stored);
    if (value == 0 || !std::isfinite(value)) return value;
    // A digit of the size of the float's last bit changes the float; some coarser ones may not
    const double last_bit = std::nextafter(std::abs(stored), std::numeric_limits<float>::infinity()) - std::abs(stored);
    const double places = std::log10(std::abs(value) / last_bit);
    const int most = std::numeric_limits<double>::max_digits10;
    for (int digits = std::clamp(static_cast<int>(places), 1, most); digits < most; ++digits) {
        const double candidate = rounded(value, digits);
        if (narrowed_number(candidate, origin).stored == stored) return candidate;
    }
    return value;
}

std::vector<double> coordinates_of(const Map& map) {
    std::vector<double> all;
    all.reserve(map.coordinates.size());
    for (Index point = 0; point < map.size(); ++point) {
        for (int axis = 0; axis < map.dim; ++axis) all.push_back(coordinate_of(map, point, axis));
    }
    return all;
}

void write_coordinate(Output& out, const Map& map, Index point, int axis) {
    map.origin.empty() ? out.number(map.view()(point, axis)) : out.number(coordinate_of(map, point, axis));
}

std::string coordinate_text(const Map& map, Index point, int axis) {
    return map.origin.empty() ? fmt::format("{}", map.view()(point, axis))
                              : fmt::format("{}", coordinate_of(map, point, axis));
}

}  // namespace dunlin::io
