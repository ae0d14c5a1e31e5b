// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/tsne.hpp>

#include "forces/exact/exact.hpp"
#include "forces/grid/grid.hpp"
#include "forces/tree/tree.hpp"

namespace dunlin::tsne {

/// The fastest engine for n points whose map is `span` wide, by a fixed rule (measurements: docs/barnes-hut.md).
Repulsion quickest(Index n, float span, int dim);

/// Repulsion between all pairs of points on a CPU, by one engine or, adaptively, by the fastest for the present map.
class Repeller {
public:
    /// `options` are resolved.
    explicit Repeller(const Options& options);

    /// Whether to call choose() before this iteration.
    [[nodiscard]] static bool checks_at(int iteration) { return iteration % 50 == 0; }
    /// Chooses the engine for the present map; returns whether it changed.
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
