// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "device/cuda.cuh"
#include "forces/grid/points.cuh"
#include "forces/grid/shape.hpp"
#include "forces/grid/spline.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Where a grid is, for a checkpoint: what repel() and prepare() depend on beyond the points.
struct CudaGridMemory {
    GridShape shape{.dim = 0};
    std::int32_t is_placed = 0;  ///< whether `field` is set
    std::int32_t unused = 0;     ///< no bytes of padding
    GridField field = {};
    GridSurvey survey;
};

/// Grid on a GPU: the same method, spacing and error (docs/repulsion.md). The grid stays where prepare() placed it,
/// with room for the points to move. Points outside are clamped to its border and counted.
template <class Law>
class CudaGrid {
public:
    /// spacing: largest distance between nodes, in units of y; 0 takes Grid's.
    explicit CudaGrid(float spacing = 0, Law law = {});
    ~CudaGrid();

    /// Places the grid over the current points, n x dim in device memory; waits for the device. Call it every few
    /// iterations: until the next call the map may grow by an eighth of its extent on every side (a twentieth if the
    /// shape was kept; more while the extent is below 60). Returns true if a recorded graph of repel() is no longer
    /// valid.
    bool prepare(device::Cuda& cuda, MatrixView<const float> y);

    /// Approximates repel_exact for the number of points given to prepare(). Only enqueues work.
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass);

    /// Completes repel() of several ranks (device/ranks.hpp), each of which has the forces of its share of the points
    /// (device::row_share): the mass of all. Not to be recorded. Nothing without ranks.
    void join(device::Cuda& cuda);

    /// The potential of the last repel() at any position in the grid, valid until the next call; without values if no
    /// grid is used. Waits for the device.
    [[nodiscard]] GridSpline potential(device::Cuda& cuda) const;

    /// Number of times a point was clamped to the border between the last two calls of prepare(). Above 0 if prepare()
    /// is called too rarely; forces near the clamped points are then wrong.
    [[nodiscard]] Offset strays() const;

    /// Nodes per axis and the distance between them; 0 if no grid is used because the law is linear over the map.
    [[nodiscard]] std::array<int, 3> nodes() const;
    [[nodiscard]] double spacing() const;

    /// Waits for the device.
    [[nodiscard]] CudaGridMemory memory(device::Cuda& cuda) const;
    /// The grid as it was for these points; false if it cannot be one of them. A recorded graph of repel() is no longer
    /// valid.
    [[nodiscard]] bool recall(device::Cuda& cuda, MatrixView<const float> y, const CudaGridMemory& memory);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
