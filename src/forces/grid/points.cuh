// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"
#include "forces/grid/shape.hpp"

/// Between points and grid, on a GPU. All sums are of integers or in a fixed order: the same bytes every time.
namespace dunlin::forces {

/// Where a grid lies and what its values stand for; in device memory, so that a recorded graph outlives a change of it.
struct GridField {
    float origin[3];  ///< of the first cell that a point may lie in
    float inverse_spacing;
    float most[3];                  ///< largest coordinate of a point, in cells
    float force_scale;              ///< force = force_scale * gradient of the potential per cell
    double mass_scale, mass_floor;  ///< as GreensFunction's
};

/// Charges are sums of integers: whole numbers of 2^-20.
using GridCharge = unsigned long long;
constexpr int charge_bits = 20;

/// Node (x, y, z) lies at x + y * row + z * plane.
struct CudaGridStrides {
    int row = 0, plane = 0;
};

/// What is found out about points on the way. Coordinates are integers in the order of the floats.
struct GridSurvey {
    std::int32_t least[3], most[3];
    unsigned long long strays = 0;  ///< how often spread() took a point to the border

    GridSurvey();
    [[nodiscard]] double least_of(int axis) const;
    [[nodiscard]] double most_of(int axis) const;
};

/// Widens the survey's box by these points.
void find_box(device::Cuda& cuda, MatrixView<const float> y, GridSurvey* survey);

/// The grid for the surveyed points, which lie in its middle; no scales yet.
GridField field_around(const GridSurvey& survey, const GridShape& shape);

/// Adds the splines of all points to the charges.
void spread(device::Cuda& cuda, MatrixView<const float> y, const GridField* field, const CudaGridStrides& strides,
            GridCharge* charges, GridSurvey* survey);

/// What gather() needs to add up the mass.
struct GatherScratch {
    device::CudaBuffer<double> parts;
    device::CudaBuffer<unsigned> done;  ///< blocks that have finished; zero between calls

    void resize(device::Cuda& cuda, Index points);
};

/// force = force_scale * gradient of the spline through the potential; mass = its sum, less the points' own
/// (`self` each), in units of the law.
void gather(device::Cuda& cuda, MatrixView<const float> y, const GridField* field, const CudaGridStrides& strides,
            const float* potential, const double* self, GatherScratch& scratch, MatrixView<float> force, double* mass);

}  // namespace dunlin::forces
