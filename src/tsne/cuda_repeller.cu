// SPDX-License-Identifier: Apache-2.0
#include "tsne/cuda_repeller.cuh"

namespace dunlin::tsne {

CudaRepeller::CudaRepeller(const Options& options)
    : engine_(options.repulsion), tree_(options.theta.value_or(0)), grid_(options.spacing.value_or(0)) {}

bool CudaRepeller::choose(device::Cuda& cuda, MatrixView<const float> y) {
    if (engine_ == Repulsion::tree) return tree_.prepare(cuda, y);
    if (engine_ == Repulsion::exact) return exact_.prepare(cuda, y);
    const bool other_work = grid_.prepare(cuda, y);
    strays_ += grid_.strays();
    checks_without_strays_ = grid_.strays() == 0 ? checks_without_strays_ + 1 : 0;
    return other_work;
}

void CudaRepeller::repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force,
                         device::CudaCell<double>& mass) {
    if (engine_ == Repulsion::tree) return tree_.repel(cuda, y, force, mass);
    if (engine_ == Repulsion::grid) return grid_.repel(cuda, y, force, mass);
    exact_.repel(cuda, y, force, mass);
}

}  // namespace dunlin::tsne
