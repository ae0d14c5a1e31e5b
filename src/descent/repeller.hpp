// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "descent/repulsion.hpp"
#include "forces/exact/exact.hpp"
#include "forces/grid/grid.hpp"
#include "forces/tree/tree.hpp"

namespace dunlin::descent {

/// Repulsion between all pairs of points on a CPU, by one engine or, adaptively, by the fastest for the present map.
template <class Law>
class Repeller {
public:
    explicit Repeller(const RepulsionSettings& settings, Law law = {})
        : settings_(settings), law_(law), tree_(settings.theta, law), grid_(settings.spacing, law) {}

    /// Whether to call choose() before this iteration.
    [[nodiscard]] static bool checks_at(int iteration) { return iteration % 50 == 0; }
    /// Chooses the engine for the present map; returns whether it changed.
    bool choose(device::Cpu& cpu, MatrixView<const float> y);
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass);
    /// Call before the iteration: the points that repel may be drawn anew.
    void begin(device::Cpu&, int iteration) { iteration_ = iteration; }
    /// Does nothing on a CPU. With several ranks, each already has the forces of all points.
    static void join(device::Cpu&) {}
    [[nodiscard]] Repulsion engine() const { return engine_; }
    void set_theta(float theta) { tree_.set_theta(theta); }
    /// State of repel() besides the map, for a checkpoint. recall() restores it, or returns false if it does not fit.
    using Memory = Repulsion;
    [[nodiscard]] Memory memory(device::Cpu&) const { return engine_; }
    [[nodiscard]] bool recall(device::Cpu&, MatrixView<const float>, Memory memory) {
        engine_ = memory;
        return memory == Repulsion::exact || memory == Repulsion::tree || memory == Repulsion::grid ||
               memory == Repulsion::drawn;
    }

private:
    RepulsionSettings settings_;
    Law law_;
    /// repel() in more than 3 dimensions.
    void repel_wide(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force);

    Repulsion engine_ = Repulsion::exact;
    int iteration_ = 0;
    forces::Tree<Law> tree_;
    forces::Grid<Law> grid_;
};

}  // namespace dunlin::descent
