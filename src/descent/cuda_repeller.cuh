// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descent/repulsion.hpp"
#include "device/ranks.cuh"
#include "forces/exact/exact.cuh"
#include "forces/grid/grid.cuh"
#include "forces/sampled/sampled.hpp"
#include "forces/tree/tree.cuh"

namespace dunlin::descent {

/// Repulsion between all pairs of points on a GPU, by one engine.
template <class Law>
class CudaRepeller {
public:
    explicit CudaRepeller(const RepulsionSettings& settings, Law law = {})
        : settings_(settings),
          engine_(settings.engine),
          law_(law),
          exact_(law),
          tree_(settings.theta, law),
          grid_(settings.spacing, law) {}

    /// Whether to call choose() before this iteration. The grid is laid out again before every tenth iteration, and
    /// before every iteration until 50 checks in a row have found no point outside it, since a map grows fast at first.
    [[nodiscard]] bool checks_at(int iteration) const {
        return engine_ == Repulsion::grid ? checks_without_strays_ < 50 || iteration % 10 == 0 : iteration == 0;
    }
    /// Adapts the engine to the present map; returns whether repel() now enqueues other work.
    bool choose(device::Cuda& cuda, MatrixView<const float> y);
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass);
    /// Call before the iteration, outside a recording: the points that repel may be drawn anew.
    void begin(device::Cuda& cuda, int iteration) {
        if (engine_ == Repulsion::drawn) cuda.set(stream_, forces::Draws::stream_of(settings_.seed, iteration));
    }
    /// Completes repel() of several ranks: by the grid, and in more than 3 dimensions, each has the forces of its share
    /// of the points, by other engines of all. Not to be recorded.
    void join(device::Cuda& cuda) {
        if (engine_ == Repulsion::grid) grid_.join(cuda);
    }
    [[nodiscard]] Repulsion engine() const { return engine_; }
    void set_theta(float theta) { tree_.set_theta(theta); }
    /// How often a point outside the grid was clamped to its border, up to the last choose().
    [[nodiscard]] Offset strays() const { return strays_; }

    /// State of repel() and choose() besides the map, for a checkpoint. recall() restores it, given the map of that
    /// iteration, or returns false if the state does not fit the grid.
    struct Memory {
        Offset strays = 0, checks_without_strays = 0;
        forces::CudaGridMemory grid = {};
    };
    [[nodiscard]] Memory memory(device::Cuda& cuda);
    [[nodiscard]] bool recall(device::Cuda& cuda, MatrixView<const float> y, const Memory& memory);

private:
    /// repel() in more than 3 dimensions.
    void repel_wide(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force);

    RepulsionSettings settings_;
    Repulsion engine_;
    Law law_;
    device::CudaCell<std::uint64_t> stream_;  ///< of the draws of this iteration
    Offset strays_ = 0;
    int checks_without_strays_ = 0;
    forces::CudaExact<Law> exact_;
    forces::CudaTree<Law> tree_;
    forces::CudaGrid<Law> grid_;
};

}  // namespace dunlin::descent
