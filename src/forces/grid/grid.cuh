// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "device/cuda.cuh"
#include "forces/grid/shape.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Grid on a GPU: the same scheme, spacing and error (docs/grid.md). The grid stays where prepare() put it, with room
/// for the points to move; a point that leaves it all the same is taken to its border, and counted.
template <class Law>
class CudaGrid {
public:
    /// spacing: largest distance between nodes, in units of y; 0 takes Grid's.
    explicit CudaGrid(float spacing = 0, Law law = {});
    ~CudaGrid();

    /// Lays the grid over the points as they are now, n x dim in device memory; waits for them. To be called every few
    /// iterations: until the next call the map may grow by an eighth of its extent on every side (by a twentieth where
    /// the shape was kept), and by more while its extent is below 60. True if repel() would now enqueue something else
    /// than before, so that what was recorded of it must be recorded anew.
    bool prepare(device::Cuda& cuda, MatrixView<const float> y);

    /// As repel_exact, approximately, for as many points as prepare() was given. Launches only.
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass);

    /// How often a point was taken to the border between the last two prepare()s. Zero, unless prepare() comes too
    /// rarely: the forces of those calls are off where the points were.
    [[nodiscard]] Offset strays() const;

    /// Nodes per axis and the distance between them; 0 where the law is linear over the whole map and no grid is used.
    [[nodiscard]] std::array<int, 3> nodes() const;
    [[nodiscard]] double spacing() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
