#pragma once

#include <array>
#include <numeric>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::tsne {

/// The points on their way, all n x dim.
template <class Exec>
struct Flock {
    Index n = 0;
    int dim = 2;
    typename Exec::template Buffer<float> y, velocity, gain, attraction, repulsion;
    typename Exec::template Cell<double> mass, cost;
    std::array<typename Exec::template Cell<double>, 3> centre;
    std::vector<Index> original;  ///< the caller's number of each point; the flock may be put in another order

    [[nodiscard]] MatrixView<const float> positions() const { return {y.data(), n, dim}; }
};

template <class Exec>
Flock<Exec> flock_at(const Map& start) {
    const std::size_t size = start.coordinates.size();
    Flock<Exec> flock;
    flock.n = start.size();
    flock.dim = start.dim;
    flock.y = start.coordinates;
    flock.velocity.assign(size, 0.0F);
    flock.gain.assign(size, 1.0F);
    flock.attraction.assign(size, 0.0F);
    flock.repulsion.assign(size, 0.0F);
    flock.original.resize(static_cast<std::size_t>(flock.n));
    std::iota(flock.original.begin(), flock.original.end(), 0);
    return flock;
}

/// Coordinates in the caller's order.
inline std::vector<float> in_original_order(std::span<const float> y, std::span<const Index> original, int dim) {
    std::vector<float> result(y.size());
    for (std::size_t i = 0; i < original.size(); ++i) {
        const auto to = static_cast<std::size_t>(original[i]) * static_cast<std::size_t>(dim);
        for (std::size_t c = 0; c < static_cast<std::size_t>(dim); ++c) {
            result[to + c] = y[i * static_cast<std::size_t>(dim) + c];
        }
    }
    return result;
}

}  // namespace dunlin::tsne
