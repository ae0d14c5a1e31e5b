// SPDX-License-Identifier: Apache-2.0
#include "descent/cuda_repeller.cuh"

#include "forces/sampled/sampled.cuh"
#include "forces/width.hpp"

namespace dunlin::descent {

template <class Law>
bool CudaRepeller<Law>::choose(device::Cuda& cuda, MatrixView<const float> y) {
    if (y.cols > 3) return false;
    if (engine_ == Repulsion::tree) return tree_.prepare(cuda, y);
    if (engine_ == Repulsion::exact) return exact_.prepare(cuda, y);
    const bool other_work = grid_.prepare(cuda, y);
    strays_ += grid_.strays();
    checks_without_strays_ = grid_.strays() == 0 ? checks_without_strays_ + 1 : 0;
    return other_work;
}

template <class Law>
void CudaRepeller<Law>::repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force,
                              device::CudaCell<double>& mass) {
    if (y.cols > 3) return repel_wide(cuda, y, force);
    if (engine_ == Repulsion::tree) return tree_.repel(cuda, y, force, mass);
    if (engine_ == Repulsion::grid) return grid_.repel(cuda, y, force, mass);
    exact_.repel(cuda, y, force, mass);
}

template <class Law>
typename CudaRepeller<Law>::Memory CudaRepeller<Law>::memory(device::Cuda& cuda) {
    Memory memory{strays_, checks_without_strays_};
    if (engine_ == Repulsion::grid) memory.grid = grid_.memory(cuda);
    return memory;
}

template <class Law>
bool CudaRepeller<Law>::recall(device::Cuda& cuda, MatrixView<const float> y, const Memory& memory) {
    strays_ = memory.strays;
    checks_without_strays_ = static_cast<int>(memory.checks_without_strays);
    if (y.cols > 3) return true;
    if (engine_ == Repulsion::tree) tree_.prepare(cuda, y);
    if (engine_ == Repulsion::exact) exact_.prepare(cuda, y);
    return engine_ != Repulsion::grid || grid_.recall(cuda, y, memory.grid);
}

template <class Law>
void CudaRepeller<Law>::repel_wide(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force) {
    if constexpr (forces::has_wide_maps<Law>) {
        const device::Slice own = device::row_share(y.rows).rows;
        if (engine_ == Repulsion::exact) return forces::repel_all(cuda, law_, y, force, own);
        forces::repel_drawn(cuda, law_, cuda.address(stream_), settings_.draws, y, force, own);
    }
}

template class CudaRepeller<forces::StudentT>;
template class CudaRepeller<forces::GeneralStudentT>;
template class CudaRepeller<forces::Fuzzy>;
template class CudaRepeller<forces::FurtherPairs>;

}  // namespace dunlin::descent
