#include "layout/frame.hpp"

#include <cmath>

#include "math/rng.hpp"

namespace dunlin::layout {

namespace {

/// Uniform in [-1/2, 1/2), coordinate by coordinate.
double shake(std::uint64_t seed, std::size_t coordinate) { return math::random_uniform(seed, coordinate) - 0.5; }

bool is_pinned(const Given& given, std::size_t vertex) { return !given.pinned.empty() && given.pinned[vertex] != 0; }

}  // namespace

Frame frame_of(const Given& given, float length) {
    Frame frame{length, {}};
    if (given.start == nullptr || given.start->size() == 0) return frame;
    const auto dim = static_cast<std::size_t>(given.start->dim);
    const std::vector<float>& start = given.start->coordinates;
    for (std::size_t i = 0; i < start.size(); ++i) frame.centre[i % dim] += static_cast<double>(start[i]);
    for (double& c : frame.centre) c /= given.start->size();
    return frame;
}

Map Frame::enter(const Given& given, Index n, int dim, std::uint64_t seed) const {
    const auto axes = static_cast<std::size_t>(dim);
    Map map{dim, std::vector<float>(static_cast<std::size_t>(n) * axes)};
    const double width = std::pow(n, 1.0 / dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        double at = width * shake(seed, i);
        if (given.start != nullptr) {
            at = (static_cast<double>(given.start->coordinates[i]) - centre[i % axes]) / static_cast<double>(length);
            if (!is_pinned(given, i / axes)) at += 1e-3 * shake(seed, i);
        }
        map.coordinates[i] = static_cast<float>(at);
    }
    return map;
}

void Frame::leave(Map& map, const Given& given) const {
    const auto axes = static_cast<std::size_t>(map.dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        float& at = map.coordinates[i];
        at = is_pinned(given, i / axes)
                 ? given.start->coordinates[i]
                 : static_cast<float>(static_cast<double>(at) * static_cast<double>(length) + centre[i % axes]);
    }
}

}  // namespace dunlin::layout
