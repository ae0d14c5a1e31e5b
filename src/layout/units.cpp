// SPDX-License-Identifier: Apache-2.0
#include "layout/units.hpp"

#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>

#include "math/rng.hpp"

namespace dunlin::layout {

namespace {

/// Uniform in [-1/2, 1/2), coordinate by coordinate.
double shake(std::uint64_t seed, std::size_t coordinate) { return math::random_uniform(seed, coordinate) - 0.5; }

/// A float holds places up to here to within a length.
constexpr double farthest = 1 << 23;

void require_near(double at, std::size_t vertex) {
    if (std::abs(at) <= farthest) return;
    throw Error(Fault::bad_input, fmt::format("the start of vertex {} is {:.3g} lengths from the center; it must be at "
                                              "most {:.3g}, give smaller coordinates or a greater length",
                                              vertex, std::abs(at), farthest));
}

bool is_pinned(const Given& given, std::size_t vertex) { return !given.pinned.empty() && given.pinned[vertex] != 0; }

}  // namespace

Units units_of(const Given& given, float length) {
    Units frame{length, {}};
    if (given.start == nullptr || given.start->size() == 0) return frame;
    const auto dim = static_cast<std::size_t>(given.start->dim);
    const std::vector<float>& start = given.start->coordinates;
    for (std::size_t i = 0; i < start.size(); ++i) frame.center[i % dim] += static_cast<double>(start[i]);
    for (double& c : frame.center) c /= given.start->size();
    return frame;
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

Map Units::enter(const Given& given, Index n, int dim, std::uint64_t seed) const {
    const auto axes = static_cast<std::size_t>(dim);
    Map map{dim, std::vector<float>(static_cast<std::size_t>(n) * axes)};
    const double width = std::pow(n, 1.0 / dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        double at = width * shake(seed, i);
        if (given.start != nullptr) {
            at = (static_cast<double>(given.start->coordinates[i]) - center[i % axes]) / static_cast<double>(length);
            require_near(at, i / axes);
            if (!is_pinned(given, i / axes)) at += 1e-3 * shake(seed, i);
        }
        map.coordinates[i] = static_cast<float>(at);
    }
    return map;
}

void Units::leave(Map& map, const Given& given) const {
    const auto axes = static_cast<std::size_t>(map.dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        float& at = map.coordinates[i];
        at = is_pinned(given, i / axes)
                 ? given.start->coordinates[i]
                 : static_cast<float>(static_cast<double>(at) * static_cast<double>(length) + center[i % axes]);
    }
}

}  // namespace dunlin::layout
