// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/tsne.hpp>

#include "forces/exact/exact.cuh"
#include "forces/grid/grid.cuh"
#include "forces/tree/tree.cuh"

namespace dunlin::tsne {

/// The repulsion of all by all on a GPU, by one engine.
class CudaRepeller {
public:
    /// Options are resolved.
    explicit CudaRepeller(const Options& options);

    /// Iterations before which choose() is to be called. The grid follows the map: every tenth iteration, and every one
    /// until fifty looks in a row have found all points where the grid was, as a map grows fast at first.
    [[nodiscard]] bool looks_at(int iteration) const {
        return engine_ == Repulsion::grid ? checks_without_strays_ < 50 || iteration % 10 == 0 : iteration == 0;
    }
    /// Lays the engine over the map as it is now; returns whether repel() now enqueues other work.
    bool choose(device::Cuda& cuda, MatrixView<const float> y);
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass);
    [[nodiscard]] Repulsion engine() const { return engine_; }
    /// How often, up to the last choose(), a point beyond the grid acted from its border.
    [[nodiscard]] Offset strays() const { return strays_; }

private:
    Repulsion engine_;
    Offset strays_ = 0;
    int checks_without_strays_ = 0;
    forces::CudaExact<forces::StudentT> exact_;
    forces::CudaTree<forces::StudentT> tree_;
    forces::CudaGrid<forces::StudentT> grid_;
};

}  // namespace dunlin::tsne
