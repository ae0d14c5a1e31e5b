// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"
#include "device/ranks.hpp"
#include "forces/grid/shape.hpp"

/// Spreading and gathering on a GPU. Sums are of integers or in a fixed order, so that results are reproducible bit by
/// bit.
namespace dunlin::forces {

/// Position and scales of a grid. In device memory, so that a recorded graph stays valid when they change.
struct GridField {
    float origin[3];  ///< corner of the first cell that may contain a point
    float inverse_spacing;
    float most[3];                  ///< largest coordinate of a point, in cells
    float force_scale;              ///< force = force_scale * gradient of the potential per cell
    double mass_scale, mass_floor;  ///< as GreensFunction's
};

/// Charges are fixed-point numbers in units of 2^-charge_bits.
using GridCharge = unsigned long long;

/// Node (x, y, z) has index x + y * row + z * plane.
struct CudaGridStrides {
    int row = 0, plane = 0;
};

/// Bounding box of the points and the number of clamped points. Coordinates are integers in the order of the floats.
struct GridSurvey {
    std::int32_t least[3], most[3];
    unsigned long long strays = 0;  ///< how often spread() clamped a point to the border

    GridSurvey();
    [[nodiscard]] double least_of(int axis) const;
    [[nodiscard]] double max_of(int axis) const;
};

/// Extends the survey's box by these points.
void find_box(device::Cuda& cuda, MatrixView<const float> y, GridSurvey* survey);

/// Grid centered on the surveyed points; scales are not set.
GridField field_around(const GridSurvey& survey, const GridShape& shape);

/// Charge assignment: adds the B-splines of all points to the charges. weights: null, or a factor from 0 to 1 per
/// point.
void spread(device::Cuda& cuda, MatrixView<const float> y, const GridField* field, const CudaGridStrides& strides,
            GridCharge* charges, GridSurvey* survey, const float* weights = nullptr);

/// Buffers with which gather() sums the mass.
struct GatherScratch {
    device::CudaBuffer<double> parts;
    device::CudaBuffer<unsigned> done;  ///< number of finished blocks; 0 between calls

    void resize(device::Cuda& cuda, Index points);
};

/// What gather() reads beside the points.
struct GatheredGrid {
    const GridField* field;
    CudaGridStrides strides;
    const float* potential;
    const double* self;
};

/// Force interpolation: force = force_scale * gradient of the spline through the potential. mass = sum of the spline's
/// values minus `self` per point, in units of the law. Of several ranks, each has the forces and partial sums of its
/// share of the points, and join_mass() adds the sums of all.
void gather(device::Cuda& cuda, MatrixView<const float> y, const device::RowShare& share, const GatheredGrid& grid,
            GatherScratch& scratch, MatrixView<float> force, double* mass);
void join_mass(device::Cuda& cuda, Index points, const device::RowShare& share, const GatheredGrid& grid,
               GatherScratch& scratch, double* mass);

}  // namespace dunlin::forces
