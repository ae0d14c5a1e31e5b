// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <dunlin/layout.hpp>

#include "forces/borders.hpp"
#include "forces/exact/exact.hpp"
#include "forces/grid/grid.hpp"
#include "forces/tree/tree.hpp"

namespace dunlin::layout {

/// Engine for n vertices on a CPU; measured, see docs/layout.md.
inline Repulsion engine_for(Repulsion wanted, Index n) {
    if (wanted != Repulsion::automatic) return wanted;
    return n <= 1500 ? Repulsion::exact : Repulsion::tree;
}

/// Engine for n vertices on a GPU; measured, see docs/layout.md.
inline Repulsion cuda_engine_for(Repulsion wanted, Index n) {
    if (wanted != Repulsion::automatic) return wanted;
    return n <= 20000 ? Repulsion::exact : Repulsion::tree;
}

/// Repulsion between all pairs on a CPU. The grid is only for the law that is smooth at its scale.
template <class Law>
class Repeller {
public:
    Repeller(const Options& options, Index n)
        : engine_(engine_for(options.repulsion, n)), tree_(options.theta.value_or(0)) {}

    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
               const float* charges) {
        if constexpr (smooth) {
            if (engine_ == Repulsion::grid) return grid_.repel(cpu, y, force, mass);
        }
        if (engine_ == Repulsion::tree) return tree_.repel(cpu, y, force, mass, charges);
        forces::repel_exact<Law>(cpu, y, force, mass, charges);
    }

    void set_theta(float theta) { tree_.set_theta(theta); }

private:
    static constexpr bool smooth = std::is_same_v<Law, forces::StudentT>;
    struct NoGrid {};

    Repulsion engine_;
    forces::Tree<Law> tree_;
    std::conditional_t<smooth, forces::Grid<Law>, NoGrid> grid_;
};

/// Repulsion between discs by the distance of their borders; exact only.
class DiscRepeller {
public:
    /// One radius per vertex; the array must outlive this object.
    explicit DiscRepeller(const float* radii) : radii_(radii) {}

    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
               const float* charges) const {
        forces::repel_exact<forces::BetweenBorders>(cpu, y, force, mass, charges, radii_);
    }

    /// It is exact.
    static void set_theta(float) {}

private:
    const float* radii_;
};

}  // namespace dunlin::layout
