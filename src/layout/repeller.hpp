#pragma once

#include <dunlin/layout.hpp>

#include "forces/exact.hpp"
#include "forces/tree.hpp"

namespace dunlin::layout {

/// The engine for n vertices on a CPU: measured, see docs/layout.md.
inline Repulsion engine_for(Repulsion wanted, Index n) {
    if (wanted != Repulsion::automatic) return wanted;
    return n <= 1500 ? Repulsion::exact : Repulsion::tree;
}

/// The repulsion of all by all on a CPU.
template <class Law>
class Repeller {
public:
    Repeller(const Options& options, Index n) : engine_(engine_for(options.repulsion, n)), tree_(*options.theta) {}

    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
               const float* charges) {
        if (engine_ == Repulsion::tree) return tree_.repel(cpu, y, force, mass, charges);
        forces::repel_exact<Law>(cpu, y, force, mass, charges);
    }

private:
    Repulsion engine_;
    forces::Tree<Law> tree_;
};

}  // namespace dunlin::layout
