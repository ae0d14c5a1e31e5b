// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/tree.cuh"

#include <variant>

#include "forces/laws.hpp"
#include "forces/tree/traversal.cuh"

namespace dunlin::forces {

namespace {

/// The mass of a group, at its first point; 0 at all others.
struct GroupMass {
    const std::uint8_t* starts;
    const double* masses;
    __device__ double operator()(Offset i) const { return (starts[i] & group_start) != 0 ? masses[i] : 0; }
};

/// A tree in D dimensions and the buffers of its traversal.
template <class Law, int D>
class CudaTraversal {
    using Nodes = CudaTreeNodes<D, Law::charged>;
    using View = TreeView<D, Law::charged>;

public:
    bool prepare(device::Cuda& cuda, Index n) {
        if (has_normalizer<Law>) cuda.resize(masses_, static_cast<std::size_t>(n));
        cuda.resize(next_group_, 1);
        kernel_ = Nodes::group_size(n) == 16 ? traversal_kernel<Law, D, 16> : traversal_kernel<Law, D, 32>;
        int resident = 0;
        device::cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_, 32 * traversal_warps, 0));
        blocks_ = std::min((n + traversal_warps - 1) / traversal_warps, resident * cuda.multiprocessors());
        return nodes_.prepare(cuda, n);
    }

    void repel(device::Cuda& cuda, Law law, MatrixView<const float> y, float theta, MatrixView<float> force,
               device::CudaCell<double>& mass, const float* charges) {
        nodes_.build(cuda, y, theta, charges);
        const View tree = nodes_.view();
        device::cuda_check(cudaMemsetAsync(next_group_.data(), 0, sizeof(unsigned), cuda.stream()));
        kernel_<<<static_cast<unsigned>(blocks_), 32 * traversal_warps, 0, cuda.stream()>>>(
            tree, law, force.data, masses_.data(), next_group_.data());
        device::cuda_check(cudaGetLastError());
        if (has_normalizer<Law>) cuda.sum(y.rows, GroupMass{tree.starts, masses_.data()}, mass);
    }

private:
    Nodes nodes_;
    device::CudaBuffer<double> masses_;
    device::CudaBuffer<unsigned> next_group_;
    void (*kernel_)(View, Law, float*, double*, unsigned*) = nullptr;
    int blocks_ = 0;
};

}  // namespace

template <class Law>
struct CudaTree<Law>::State {
    float theta;
    Law law;
    std::variant<CudaTraversal<Law, 2>, CudaTraversal<Law, 3>> traversals;
};

template <class Law>
CudaTree<Law>::CudaTree(float theta, Law law) : state_(new State{theta, law, {}}) {}

template <class Law>
void CudaTree<Law>::set_theta(float theta) {
    state_->theta = theta;
}

template <class Law>
CudaTree<Law>::~CudaTree() = default;
template <class Law>
CudaTree<Law>::CudaTree(CudaTree&&) noexcept = default;
template <class Law>
CudaTree<Law>& CudaTree<Law>::operator=(CudaTree&&) noexcept = default;

template <class Law>
bool CudaTree<Law>::prepare(device::Cuda& cuda, MatrixView<const float> y) {
    auto& traversals = state_->traversals;
    const bool other = traversals.index() != static_cast<std::size_t>(y.cols - 2);
    if (other && y.cols == 2) traversals.template emplace<0>();
    if (other && y.cols == 3) traversals.template emplace<1>();
    return std::visit([&](auto& traversal) { return traversal.prepare(cuda, y.rows); }, traversals) || other;
}

template <class Law>
void CudaTree<Law>::repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force,
                          device::CudaCell<double>& mass, const float* charges) {
    if (y.rows == 0) return cuda.add_parts(0, cuda.address(mass), mass);
    std::visit([&](auto& traversal) { traversal.repel(cuda, state_->law, y, state_->theta, force, mass, charges); },
               state_->traversals);
}

#define DUNLIN_LAW(Law) template class CudaTree<Law>;
DUNLIN_LAWS(DUNLIN_LAW)

}  // namespace dunlin::forces
