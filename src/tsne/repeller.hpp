// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/tsne.hpp>

#include "forces/exact/exact.hpp"
#include "forces/grid/grid.hpp"
#include "forces/tree/tree.hpp"

namespace dunlin::tsne {

/// The engine that a fixed rule takes for n points whose map is `span` wide: docs/barnes-hut.md has the measurements.
Repulsion quickest(Index n, float span, int dim);

/// The repulsion of all by all on a CPU, by one engine or, adaptively, by the quickest for the moment.
class Repeller {
public:
    /// Options are resolved.
    explicit Repeller(const Options& options);

    /// Iterations before which choose() is to be called.
    [[nodiscard]] static bool looks_at(int iteration) { return iteration % 50 == 0; }
    /// Picks the engine for the map as it is now; returns whether it is another one.
    bool choose(device::Cpu& cpu, MatrixView<const float> y);
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass);
    [[nodiscard]] Repulsion engine() const { return engine_; }

private:
    Repulsion wanted_;
    Repulsion engine_ = Repulsion::exact;
    forces::Tree<forces::StudentT> tree_;
    forces::Grid<forces::StudentT> grid_;
};

}  // namespace dunlin::tsne
