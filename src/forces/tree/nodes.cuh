// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "forces/box.cuh"
#include "forces/tree/cell.hpp"

namespace dunlin::forces {

/// Charge of a point, or sum of charges of a cell; an empty base if points have no charges.
template <bool Charged>
struct OptionalCharge {};
template <>
struct OptionalCharge<true> {
    float charge;
};

/// A cell as the traversal reads it. The children of inner node p are records 2 p and 2 p + 1; the root is record 0.
template <int D, bool Charged>
struct alignas(Charged ? 8 : 16) TreeRecord : OptionalCharge<Charged> {
    float at[D];      ///< center of mass
    float accept_r2;  ///< as accept_r2() in cell.hpp
    float moments[moment_count<D>];
    Index count;
    Index link;  ///< inner node: its number, above 0; leaf: ~first, below 0
};
static_assert(sizeof(TreeRecord<2, false>) == 32 && sizeof(TreeRecord<3, false>) == 48);
static_assert(sizeof(TreeRecord<2, true>) == 40 && sizeof(TreeRecord<3, true>) == 56);

/// Position of a point, and its charge if it has one.
template <int D, bool Charged>
struct alignas(D == 2 && !Charged ? 8 : 16) TreePoint : OptionalCharge<Charged> {
    float at[D];
};

/// Aggregates that a cell passes to its parent.
template <int D, bool Charged>
using Content = CellContent<D, std::conditional_t<Charged, double, Index>>;

/// Data of the tree for kernels. Points are in the order of their Morton codes.
template <int D, bool Charged>
struct TreeView {
    Index n;
    const TreeRecord<D, Charged>* records;
    const TreePoint<D, Charged>* places;
    const Index* items;          ///< index of each point in the caller's order
    const std::uint8_t* starts;  ///< bit 0: a leaf begins at this point; bit 1: a group begins
    const Index* groups;         ///< first points of groups, in any order
    const Index* group_count;
};

constexpr std::uint8_t leaf_start = 1, group_start = 2;

/// A binary tree over points sorted by Morton code. Each cell is split at the highest bit in which its codes differ
/// (Karras 2012), down to leaves of leaf_size points. Codes have 16 bits per axis (10 in 3-D); a cell whose points
/// share a code is a leaf, whatever their number. The host never waits for a size that only the device knows, so that a
/// CUDA graph can record the build. Charged: charges weight the centers and moments of cells.
template <int D, bool Charged>
class CudaTreeNodes {
public:
    static constexpr Index leaf_size = D == 2 ? 16 : 8;  ///< most points of a leaf, unless they share a code
    /// Most targets that share a traversal: fewer for small n, so that there are enough groups to fill the GPU.
    static constexpr Index group_size(Index n) { return n <= 200000 ? 16 : 32; }
    static constexpr Index largest_group = 32;

    /// Allocates memory for n points. True if it was allocated anew.
    bool prepare(device::Cuda& cuda, Index n);
    /// Builds the tree. theta: parameter of the MAC (accept_r2 in cell.hpp). charges: read if Charged. Only enqueues
    /// work.
    void build(device::Cuda& cuda, MatrixView<const float> y, float theta, const float* charges = nullptr);
    [[nodiscard]] TreeView<D, Charged> view() const;

private:
    void sort(device::Cuda& cuda, MatrixView<const float> y);

    Index n_ = -1;
    device::CudaCell<DeviceBox<D>> box_;
    device::CudaBuffer<std::uint32_t> unsorted_codes_, codes_;
    device::CudaBuffer<Index> unsorted_items_, items_;
    device::CudaBuffer<char> scratch_;  // for sorting
    device::CudaBuffer<TreePoint<D, Charged>> places_;
    device::CudaBuffer<std::uint8_t> starts_;
    device::CudaBuffer<Index> groups_, group_count_;
    device::CudaBuffer<Index>
        meeting_;  // per inner node: the far end of the child that arrived first; -1 between builds
    device::CudaBuffer<Content<D, Charged>> contents_;
    device::CudaBuffer<TreeRecord<D, Charged>> records_;
};

extern template class CudaTreeNodes<2, false>;
extern template class CudaTreeNodes<3, false>;
extern template class CudaTreeNodes<2, true>;
extern template class CudaTreeNodes<3, true>;

}  // namespace dunlin::forces
