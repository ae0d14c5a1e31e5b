// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/error.hpp>
#include <dunlin/layout.hpp>

#include "forces/borders.hpp"
#include "forces/exact/exact.cuh"
#include "forces/tree/tree.cuh"
#include "layout/repeller.hpp"

namespace dunlin::layout {

/// Repulsion between all pairs on a GPU, for vertices with the shape of y.
template <class Law>
class CudaRepeller {
public:
    CudaRepeller(device::Cuda& cuda, const Options& options, MatrixView<const float> y)
        : engine_(cuda_engine_for(options.repulsion, y.rows)), tree_(options.theta.value_or(0)) {
        if (engine_ == Repulsion::grid) {
            throw Error(Fault::bad_input, "repulsion grid is not on a GPU for layout; use tree or exact, or device cpu",
                        {.option = "repulsion"});
        }
        engine_ == Repulsion::tree ? tree_.prepare(cuda, y) : exact_.prepare(cuda, y);
    }

    /// As Repeller::repel. Only enqueues.
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass,
               const float* charges) {
        if (engine_ == Repulsion::tree) return tree_.repel(cuda, y, force, mass, charges);
        exact_.repel(cuda, y, force, mass, charges);
    }

    void set_theta(float theta) { tree_.set_theta(theta); }

private:
    Repulsion engine_;
    forces::CudaExact<Law> exact_;
    forces::CudaTree<Law> tree_;
};

/// As DiscRepeller; the radii are in device memory.
class CudaDiscRepeller {
public:
    CudaDiscRepeller(device::Cuda& cuda, const float* radii, MatrixView<const float> y) : radii_(radii) {
        exact_.prepare(cuda, y);
    }

    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass,
               const float* charges) {
        exact_.repel(cuda, y, force, mass, charges, radii_);
    }
    /// It is exact.
    static void set_theta(float) {}

private:
    const float* radii_;
    forces::CudaExact<forces::BetweenBorders> exact_;
};

}  // namespace dunlin::layout
