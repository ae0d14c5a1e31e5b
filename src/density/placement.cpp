// SPDX-License-Identifier: Apache-2.0
#include "density/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include <dunlin/error.hpp>

#include "device/fail.hpp"

namespace dunlin::density {

namespace {

constexpr double reach = 6;            // standard deviations at which the kernel is cut off
constexpr double least_deviation = 2;  // of the kernel in nodes: the splines' error is below 1e-5 of the largest value
// Nodes that an axis needs beyond those that its points span and the kernel reaches: the spline, a cell at each end
constexpr int spare = forces::grid_order + 5;

double length_of(const Survey& survey, std::size_t axis) {
    return static_cast<double>(survey.most[axis]) - static_cast<double>(survey.least[axis]);
}

double longest_of(const Survey& survey, int dim) {
    double longest = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) longest = std::max(longest, length_of(survey, a));
    return longest;
}

/// Distance of a coordinate of the largest magnitude from the next float.
double resolution_of(const Survey& survey, int dim) {
    float largest = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a)
        largest = std::max({largest, std::abs(survey.least[a]), std::abs(survey.most[a])});
    return static_cast<double>(std::nextafter(largest, std::numeric_limits<float>::infinity())) -
           static_cast<double>(largest);
}

/// The spacing s at which the points and twice the kernel's reach span `nodes` nodes.
double spacing_for(double longest, double bandwidth, Index nodes) {
    return (longest + 2 * reach * bandwidth) / (nodes - spare);
}

/// The smallest bandwidth that is `least_deviation` such spacings.
double least_bandwidth(double longest, Index nodes) {
    return longest * least_deviation / (nodes - spare - 2 * reach * least_deviation);
}

Index nodes_for(double longest, double bandwidth) {
    const double nodes = std::ceil(least_deviation * longest / bandwidth + spare + 2 * reach * least_deviation);
    return static_cast<Index>(std::min(nodes, 2e9));
}

/// The bandwidth is resolved by the coordinates, and densities are floats.
void check_range(double bandwidth, double resolution, Index n, int dim) {
    constexpr double resolved = 4;
    if (bandwidth < resolved * resolution) {
        device::bad_option("bandwidth", fmt::format("bandwidth is {:.6g}, and coordinates as large as those of the map "
                                                    "are {:.3g} apart in float32; it must be at least {:.6g}",
                                                    bandwidth, resolution, resolved * resolution));
    }
    const double peak = std::pow(std::sqrt(2 * std::numbers::pi) * bandwidth, -dim);
    if (n * peak < 1e37 && peak > 1e-30) return;
    throw Error(Fault::bad_input,
                fmt::format("the density of points with a bandwidth of {:.3g}, up to {:.3g} per unit, "
                            "leaves the range of float32; scale the map",
                            bandwidth, n * peak));
}

double settled_bandwidth(const Options& options, const Survey& survey, Index n, int dim) {
    const double longest = longest_of(survey, dim), least = least_bandwidth(longest, *options.nodes);
    if (!options.bandwidth) {
        const double rule = default_bandwidth(survey, n, dim);
        return std::max({rule > 0 ? rule : 1, least, 4 * resolution_of(survey, dim)});
    }
    if (*options.bandwidth >= least) return *options.bandwidth;
    device::bad_option(
        "bandwidth",
        fmt::format("bandwidth is {:.6g}; with {} nodes over {:.6g} units it must be at least {:.6g}, or "
                    "use at least {} nodes",
                    *options.bandwidth, *options.nodes, longest, least, nodes_for(longest, *options.bandwidth)));
}

/// The largest float at most `value`.
float float_below(double value) {
    const auto rounded = static_cast<float>(value);
    if (static_cast<double>(rounded) <= value) return rounded;
    return std::nextafter(rounded, -std::numeric_limits<float>::infinity());
}

/// The longest axis has at least options.nodes nodes.
void place_axes(const Survey& survey, Index nodes, Placement& placement) {
    const int radius = placement.radius();
    const double longest = longest_of(survey, placement.dim);
    for (std::size_t a = 0; a < static_cast<std::size_t>(placement.dim); ++a) {
        placement.corner[a] = float_below(static_cast<double>(survey.least[a]) - radius * placement.spacing);
        const double span = static_cast<double>(survey.most[a]) - static_cast<double>(placement.corner[a]);
        placement.nodes[a] = static_cast<Index>(span / placement.spacing) + 1 + forces::grid_order + radius;
        if (length_of(survey, a) == longest) placement.nodes[a] = std::max(placement.nodes[a], nodes);
    }
}

}  // namespace

double variance_of(const Moments& sums, Index n, double length) {
    const double mean = static_cast<double>(sums.at[0]) / n;
    const double square = static_cast<double>(sums.at[1]) / n;
    const double step = length / moment_steps;
    return std::max(square - mean * mean, 0.0) * step * step;
}

double default_bandwidth(const Survey& survey, Index n, int dim) {
    constexpr double quartile_range = 1.349;  // of the standard normal distribution
    double square = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) {
        const double range = survey.interquartile_range[a] / quartile_range;
        square += range > 0 ? std::min(survey.variance[a], range * range) : survey.variance[a];
    }
    const double scale = std::sqrt(square / dim);
    return scale * std::pow(4.0 / (static_cast<double>(n) * (dim + 2)), 1.0 / (dim + 4)) / 2;
}

ScalarField Placement::field() const {
    ScalarField field{.dim = dim, .nodes = nodes, .spacing = spacing, .values = {}};
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a)
        field.origin[a] = static_cast<double>(corner[a]) - spline_center * spacing;
    return field;
}

Index nodes_of(const Options& options, int dim) { return options.nodes.value_or(dim == 2 ? 1024 : 128); }

Placement place(Options& options, const Survey& survey, Index n, int dim) {
    options.nodes = nodes_of(options, dim);
    options.bandwidth = settled_bandwidth(options, survey, n, dim);
    check_range(*options.bandwidth, resolution_of(survey, dim), n, dim);
    Placement placement{.dim = dim, .bandwidth = *options.bandwidth, .taps = {}};
    const double wanted = spacing_for(longest_of(survey, dim), placement.bandwidth, *options.nodes);
    placement.spacing = 1 / static_cast<double>(static_cast<float>(1 / wanted));  // its inverse is a float
    const double sigma = placement.bandwidth / placement.spacing;
    placement.taps = gaussian_taps(sigma, static_cast<int>(std::ceil(reach * sigma)));
    place_axes(survey, *options.nodes, placement);
    return placement;
}

std::vector<float> gaussian_taps(double sigma, int radius) {
    const int steps = std::max(1024, 4 * radius);
    std::vector<double> sums(static_cast<std::size_t>(radius) + 1);
    for (int m = 0; m <= steps; ++m) {
        const double k = std::numbers::pi * m / steps, half = k / 2;
        const double spectrum = std::exp(-sigma * sigma * k * k / 2);
        if (spectrum < 1e-20) break;
        const double spline = m == 0 ? 1 : std::pow(std::sin(half) / half, forces::grid_order);
        const double weight = (m == 0 || m == steps ? 0.5 : 1.0) / steps * spectrum / spline;
        for (int j = 0; j <= radius; ++j) sums[static_cast<std::size_t>(j)] += weight * std::cos(j * k);
    }
    double total = sums[0];
    for (std::size_t j = 1; j < sums.size(); ++j) total += 2 * std::max(sums[j], 0.0);
    std::vector<float> taps;
    taps.reserve(sums.size());
    for (const double sum : sums) taps.push_back(static_cast<float>(std::max(sum, 0.0) / total));
    return taps;
}

double sum_of_taps(const std::vector<float>& taps) {
    double sum = static_cast<double>(taps[0]);
    for (std::size_t j = 1; j < taps.size(); ++j) sum += 2 * static_cast<double>(taps[j]);
    return sum;
}

std::vector<double> percentages_of(const std::string& list) {
    const auto refuse = [&](const std::string& what) {
        device::bad_option("bands", fmt::format("bands is '{}'; {}, as in 10,25,50", list, what));
    };
    std::vector<double> percentages;
    for (const char *from = list.data(), *end = from + list.size(); from < end;) {
        double percentage = 0;
        const auto [after, fault] = std::from_chars(from, end, percentage);
        if (fault != std::errc() || (after < end && (*after != ',' || after + 1 == end)))
            refuse("give numbers and commas");
        if (!(percentage > 0 && percentage <= 100)) refuse("percentages must be above 0 and at most 100");
        if (!percentages.empty() && percentage <= percentages.back()) refuse("percentages must ascend");
        percentages.push_back(percentage);
        from = after + (after < end ? 1 : 0);
    }
    return percentages;
}

}  // namespace dunlin::density
