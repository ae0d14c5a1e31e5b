// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "forces/grid/convolution.cuh"
#include "forces/grid/greens_function.cuh"
#include "forces/grid/grid.cuh"
#include "forces/grid/grid.hpp"
#include "forces/grid/points.cuh"

namespace dunlin::forces {

namespace {

/// Difference of a coordinate from that of the first point.
struct FromFirst {
    const float* y;
    Index dim, axis;

    __device__ double operator()(Offset i) const {
        return static_cast<double>(y[i * dim + axis]) - static_cast<double>(y[axis]);
    }
};

/// Repels each point from the mean of all points.
struct RepelFromMean {
    FromFirst from_first;
    const double* sum;
    double points, strength;
    float* force;

    __device__ void operator()(Offset i) const {
        const double repulsion = strength * (points * from_first(i) - *sum);
        force[i * from_first.dim + from_first.axis] = static_cast<float>(repulsion);
    }
};

}  // namespace

template <class Law>
struct CudaGrid<Law>::State {
    State(float wanted_spacing, Law wanted_law) : spacing(wanted_spacing), law(wanted_law) {}

    float spacing;
    Law law;
    Index points = -1;
    GridShape shape{.dim = 0};  // while the law is linear
    Offset strays = 0;
    CudaGreensFunction greens_function;
    CudaGridConvolution convolution;
    GatherScratch scratch;
    device::CudaCell<GridField> field;
    device::CudaCell<GridSurvey> survey;
    device::CudaCell<double> sums[3];
    device::RowShare share;
    double* mass = nullptr;  ///< of the last repel()

    [[nodiscard]] GatheredGrid gathered(device::Cuda& cuda) {
        return {cuda.address(field), convolution.strides(), convolution.potential(),
                cuda.address(greens_function.self)};
    }
    void set_shape(device::Cuda& cuda, const GridShape& next);
    bool change_shape(device::Cuda& cuda, const GridSurvey& found, int dim);
    void resize(device::Cuda& cuda, Index n);
    void place(device::Cuda& cuda, const GridSurvey& found);
    void repel_linearly(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force);
};

template <class Law>
void CudaGrid<Law>::State::resize(device::Cuda& cuda, Index n) {
    points = n;
    share = device::row_share(n);
    scratch.resize(cuda, n);
    for (auto& sum : sums) cuda.address(sum);
}

template <class Law>
void CudaGrid<Law>::State::set_shape(device::Cuda& cuda, const GridShape& next) {
    shape = next;
    make_greens_function<Law>(cuda, shape, greens_function, law);
    convolution.prepare(cuda, shape);
}

/// Returns true if repel() enqueues different work from now on.
template <class Law>
bool CudaGrid<Law>::State::change_shape(device::Cuda& cuda, const GridSurvey& found, int dim) {
    std::array<double, 3> extent{};
    for (int a = 0; a < dim; ++a) {
        extent[static_cast<std::size_t>(a)] = found.max_of(a) - found.least_of(a);
    }
    const GridShape before = shape;
    if (*std::max_element(extent.begin(), extent.end()) <= linear_extent<Law>) {
        shape = GridShape{.dim = 0};
        return before.dim != 0;
    }
    const double widest_spacing = static_cast<double>(spacing > 0 ? spacing : Grid<Law>::default_spacing(dim));
    const GridShape next = cuda_grid_shape(widest_spacing, extent, dim, before);
    if (next == before) return false;
    set_shape(cuda, next);
    return shape.dim != before.dim || shape.nodes != before.nodes;
}

template <class Law>
void CudaGrid<Law>::State::place(device::Cuda& cuda, const GridSurvey& found) {
    GridField around_points = field_around(found, shape);
    around_points.force_scale = static_cast<float>(-0.5 * greens_function.scale / shape.spacing);
    around_points.mass_scale = greens_function.scale, around_points.mass_floor = greens_function.floor;
    cuda.set(field, around_points);
}

template <class Law>
void CudaGrid<Law>::State::repel_linearly(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force) {
    for (Index axis = 0; axis < y.cols; ++axis) {
        const FromFirst from_first{y.data, y.cols, axis};
        const double n = y.rows, strength = law.strength(0.0);
        cuda.sum(y.rows, from_first, sums[axis]);
        cuda.each(y.rows, RepelFromMean{from_first, cuda.address(sums[axis]), n, strength, force.data});
    }
}

template <class Law>
CudaGrid<Law>::CudaGrid(float spacing, Law law) : state_(std::make_unique<State>(spacing, law)) {}

template <class Law>
CudaGrid<Law>::~CudaGrid() = default;

template <class Law>
bool CudaGrid<Law>::prepare(device::Cuda& cuda, MatrixView<const float> y) {
    State& state = *state_;
    const bool other_points = state.points != y.rows;
    state.points = y.rows;
    if (y.rows == 0) return other_points;
    state.resize(cuda, y.rows);
    if (state.survey.value.size() == 0) cuda.set(state.survey, GridSurvey());
    find_box(cuda, y, cuda.address(state.survey));
    const GridSurvey found = cuda.read(state.survey);
    cuda.set(state.survey, GridSurvey());
    state.strays = static_cast<Offset>(found.strays);
    const bool other_shape = state.change_shape(cuda, found, y.cols);
    if (state.shape.dim > 0) state.place(cuda, found);
    return other_points || other_shape;
}

template <class Law>
void CudaGrid<Law>::repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force,
                          device::CudaCell<double>& mass) {
    State& state = *state_;
    const double n = y.rows;
    if (y.rows == 0 || state.shape.dim == 0) {
        cuda.fill(mass.value, 1, n * (n - 1) * potential_of(state.law, 0.0));
        if (y.rows > 0) state.repel_linearly(cuda, y, force);
        return;
    }
    spread(cuda, y, cuda.address(state.field), state.convolution.strides(), state.convolution.charges(),
           cuda.address(state.survey));
    state.convolution.run(cuda, state.greens_function.values.data());
    state.mass = cuda.address(mass);
    gather(cuda, y, state.share, state.gathered(cuda), state.scratch, force, state.mass);
}

template <class Law>
void CudaGrid<Law>::join(device::Cuda& cuda) {
    State& state = *state_;
    if (state.share.rank == nullptr || state.points == 0 || state.shape.dim == 0) return;
    join_mass(cuda, state.points, state.share, state.gathered(cuda), state.scratch, state.mass);
}

template <class Law>
GridSpline CudaGrid<Law>::potential(device::Cuda& cuda) const {
    const State& state = *state_;
    if (state.points <= 0 || state.shape.dim == 0) return {};
    const GridField field = cuda.read(state.field);
    const CudaGridStrides strides = state.convolution.strides();
    GridSpline spline{state.convolution.potential(), strides.row, strides.plane};
    for (int d = 0; d < state.shape.dim; ++d) {
        spline.origin[d] = static_cast<double>(field.origin[d]);
        spline.cells[d] = static_cast<int>(field.most[d]);
    }
    spline.inverse_spacing = static_cast<double>(field.inverse_spacing);
    spline.scale = field.mass_scale;
    spline.constant = field.mass_floor * state.points;
    return spline;
}

template <class Law>
CudaGridMemory CudaGrid<Law>::memory(device::Cuda& cuda) const {
    const State& state = *state_;
    CudaGridMemory memory;
    memory.shape = state.shape;
    memory.is_placed = state.field.value.size() > 0 ? 1 : 0;
    if (memory.is_placed != 0) memory.field = cuda.read(state.field);
    if (state.survey.value.size() > 0) memory.survey = cuda.read(state.survey);
    return memory;
}

template <class Law>
bool CudaGrid<Law>::recall(device::Cuda& cuda, MatrixView<const float> y, const CudaGridMemory& memory) {
    State& state = *state_;
    const bool is_used = memory.shape.dim != 0;
    if (is_used && !(is_cuda_grid_shape(memory.shape, y.cols) && memory.is_placed != 0)) return false;
    state.points = y.rows;
    if (y.rows == 0) return true;
    state.resize(cuda, y.rows);
    state.shape = memory.shape;
    if (memory.shape.dim > 0) state.set_shape(cuda, memory.shape);
    if (memory.is_placed != 0) cuda.set(state.field, memory.field);
    cuda.set(state.survey, memory.survey);
    return true;
}

template <class Law>
Offset CudaGrid<Law>::strays() const {
    return state_->strays;
}

template <class Law>
std::array<int, 3> CudaGrid<Law>::nodes() const {
    return state_->shape.dim == 0 ? std::array<int, 3>{} : state_->shape.nodes;
}

template <class Law>
double CudaGrid<Law>::spacing() const {
    return state_->shape.spacing;
}

template class CudaGrid<StudentT>;
template class CudaGrid<GeneralStudentT>;
template class CudaGrid<Fuzzy>;
template class CudaGrid<FurtherPairs>;

}  // namespace dunlin::forces
