// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "forces/box.cuh"
#include "forces/tree/cell.hpp"

namespace dunlin::forces {

/// By how much a cell or a point pushes: the sum of its charges where points are charged, else not said.
template <bool Charged>
struct OptionalCharge {};
template <>
struct OptionalCharge<true> {
    float charge;
};

/// A cell as the search reads it. The two children of inner node p are records 2 p and 2 p + 1; the root is record 0.
template <int D, bool Charged>
struct alignas(Charged ? 8 : 16) TreeRecord : OptionalCharge<Charged> {
    float at[D];      ///< center of mass
    float accept_r2;  ///< as accept_r2() in tree_cell.hpp
    float moments[moment_count<D>];
    Index count;
    Index link;  ///< an inner node's number, above 0; of a leaf ~first, below 0
};
static_assert(sizeof(TreeRecord<2, false>) == 32 && sizeof(TreeRecord<3, false>) == 48);
static_assert(sizeof(TreeRecord<2, true>) == 40 && sizeof(TreeRecord<3, true>) == 56);

/// Where a point lies.
template <int D, bool Charged>
struct alignas(D == 2 && !Charged ? 8 : 16) TreePoint : OptionalCharge<Charged> {
    float at[D];
};

/// What a cell tells its parent.
template <int D, bool Charged>
using Content = CellContent<D, std::conditional_t<Charged, double, Index>>;

/// What kernels see of a tree. Points are in the order of their Morton codes.
template <int D, bool Charged>
struct TreeView {
    Index n;
    const TreeRecord<D, Charged>* records;
    const TreePoint<D, Charged>* places;
    const Index* items;          ///< the caller's number of each point
    const std::uint8_t* starts;  ///< whether a leaf (bit 0), a group (bit 1) begins at a point
    const Index* groups;         ///< first points of groups, in any order
    const Index* group_count;
};

constexpr std::uint8_t leaf_start = 1, group_start = 2;

/// A binary tree over points sorted by Morton code: each cell is cut at the highest bit in which its codes differ
/// (Karras 2012), down to leaves of leaf_size points. Codes end at 16 bits an axis (10 in 3-D): a cell whose points
/// share a code is a leaf, however many they are. Nothing here waits for a size that the device knows, so that a graph
/// can hold it. Charged: points have charges, by which cells' centers and moments weigh them.
template <int D, bool Charged>
class CudaTreeNodes {
public:
    static constexpr Index leaf_size = D == 2 ? 16 : 8;  ///< most points of a leaf, unless they share a code
    /// Most points that share a search: few while there are not groups enough to fill the GPU.
    static constexpr Index group_size(Index n) { return n <= 200000 ? 16 : 32; }
    static constexpr Index largest_group = 32;

    /// Memory for n points. True if it had to be taken anew.
    bool prepare(device::Cuda& cuda, Index n);
    /// A cell is small as accept_r2(content, theta) says; charges are looked at if points have any. Only enqueues.
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
    device::CudaBuffer<Index> meeting_;  // per inner node, -1 between builds: the far end of the child that came first
    device::CudaBuffer<Content<D, Charged>> contents_;
    device::CudaBuffer<TreeRecord<D, Charged>> records_;
};

extern template class CudaTreeNodes<2, false>;
extern template class CudaTreeNodes<3, false>;
extern template class CudaTreeNodes<2, true>;
extern template class CudaTreeNodes<3, true>;

}  // namespace dunlin::forces
