// SPDX-License-Identifier: Apache-2.0
#include "layout/units.hpp"

#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>

#include "math/rng.hpp"

namespace dunlin::layout {

namespace {

/// Uniform in [-1/2, 1/2), per coordinate.
double random_offset(std::uint64_t seed, std::size_t coordinate) {
    return math::random_uniform(seed, coordinate) - 0.5;
}

/// Coordinates up to this bound are exact to within one length in float32.
constexpr double max_coordinate = 1 << 23;

void require_in_range(double at, std::size_t vertex) {
    if (std::abs(at) <= max_coordinate) return;
    throw Error(Fault::bad_input, fmt::format("the start of vertex {} is {:.3g} lengths from the center; it must be at "
                                              "most {:.3g}, give smaller coordinates or a greater length",
                                              vertex, std::abs(at), max_coordinate));
}

bool is_pinned(const Given& given, std::size_t vertex) { return !given.pinned.empty() && given.pinned[vertex] != 0; }

}  // namespace

Units units_of(const Given& given, float length) {
    Units units{length, {}};
    if (given.start == nullptr || given.start->size() == 0) return units;
    const auto dim = static_cast<std::size_t>(given.start->dim);
    const std::vector<float>& start = given.start->coordinates;
    for (std::size_t i = 0; i < start.size(); ++i) units.center[i % dim] += static_cast<double>(start[i]);
    for (double& c : units.center) c /= given.start->size();
    return units;
}

void scale_to_lengths(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, Map& map) {
    if (graph.edges() == 0) return;
    const auto stretch = [&](Offset i) {
        double sum = 0;
        for (Offset e = graph.offsets[static_cast<std::size_t>(i)]; e < graph.offsets[static_cast<std::size_t>(i) + 1];
             ++e) {
            const Index j = graph.targets[static_cast<std::size_t>(e)];
            double r2 = 0;
            for (int d = 0; d < map.dim; ++d) {
                const auto delta = static_cast<double>(map.view()(static_cast<Index>(i), d) - map.view()(j, d));
                r2 += delta * delta;
            }
            sum += std::sqrt(r2) / (lengths.empty() ? 1.0 : static_cast<double>(lengths[static_cast<std::size_t>(e)]));
        }
        return sum;
    };
    device::Cell<double> sum;
    cpu.sum(graph.size(), stretch, sum);
    const double mean = sum.value / static_cast<double>(graph.edges());
    if (!(mean > 0)) return;
    for (float& x : map.coordinates) x = static_cast<float>(static_cast<double>(x) / mean);
}

Map Units::to_lengths(const Given& given, Index n, int dim, std::uint64_t seed) const {
    const auto axes = static_cast<std::size_t>(dim);
    Map map{dim, std::vector<float>(static_cast<std::size_t>(n) * axes)};
    const double width = std::pow(n, 1.0 / dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        double at = width * random_offset(seed, i);
        if (given.start != nullptr) {
            at = to_lengths(static_cast<double>(given.start->coordinates[i]), i % axes);
            require_in_range(at, i / axes);
            if (!is_pinned(given, i / axes)) at += 1e-3 * random_offset(seed, i);
        }
        map.coordinates[i] = static_cast<float>(at);
    }
    return map;
}

void Units::to_map_units(Map& map, const Given& given, std::span<const std::uint8_t> steered) const {
    const auto axes = static_cast<std::size_t>(map.dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        float& at = map.coordinates[i];
        const std::size_t vertex = i / axes;
        const bool is_at_start = is_pinned(given, vertex) && (steered.empty() || steered[vertex] == 0);
        at = is_at_start ? given.start->coordinates[i]
                         : static_cast<float>(to_map_units(static_cast<double>(at), i % axes));
    }
}

}  // namespace dunlin::layout
