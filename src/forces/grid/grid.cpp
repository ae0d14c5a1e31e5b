// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/grid.hpp"

#include <algorithm>

#include "forces/box.hpp"
#include "forces/grid/convolution.hpp"
#include "forces/grid/greens_function.hpp"
#include "forces/grid/points.hpp"

namespace dunlin::forces {

namespace {

/// Exact repulsion of points so close together that the law is linear: each point is repelled from the mean.
template <class Law>
void repel_linearly(device::Cpu& cpu, Law law, MatrixView<const float> y, const BoundingBox& box,
                    MatrixView<float> force, device::Cell<double>& mass) {
    const double n = y.rows;
    for (Index d = 0; d < y.cols; ++d) {
        const auto least = static_cast<double>(box.least[static_cast<std::size_t>(d)]);
        device::Cell<double> sum;
        cpu.sum(y.rows, [&](Offset i) { return static_cast<double>(y(static_cast<Index>(i), d)) - least; }, sum);
        const double mean = least + sum.value / n, strength = n * law.strength(0.0);
        cpu.each(y.rows, [&](Offset i) {
            const auto row = static_cast<Index>(i);
            force(row, d) = static_cast<float>(strength * (static_cast<double>(y(row, d)) - mean));
        });
    }
    mass.value = n * (n - 1) * potential_of(law, 0.0);
}

}  // namespace

template <class Law>
struct Grid<Law>::State {
    float spacing = 0;
    Law law;
    GridShape shape;
    GridConvolution convolution;
    GreensFunction greens_function;
    device::AlignedBuffer<float> values;
    GridOrder<2> order2;
    GridOrder<3> order3;

    void prepare(device::Cpu& cpu, const GridShape& wanted);
    template <int D>
    void repel(device::Cpu& cpu, GridOrder<D>& order, MatrixView<const float> y, const BoundingBox& box,
               MatrixView<float> force, device::Cell<double>& mass);
    /// Spreads the points, whose box begins at `origin`, and convolves them with the potential; returns the view of it.
    template <int D>
    GridSpline convolve(device::Cpu& cpu, GridOrder<D>& order, MatrixView<const float> y,
                        const std::array<float, 3>& origin, const std::array<double, 3>& extent);
    /// Sum of the potential over ordered pairs, given the spline's sum over the points.
    [[nodiscard]] double mass_of(double value, double n) const {
        return greens_function.scale * (value - n * greens_function.self) + greens_function.floor * n * (n - 1);
    }
    template <int D>
    void spread_points(device::Cpu& cpu, const GridOrder<D>& order, const GridStrides& strides);
    template <int D>
    double gather_points(device::Cpu& cpu, const GridOrder<D>& order, const GridStrides& strides,
                         MatrixView<float> force);
};

template <class Law>
void Grid<Law>::State::prepare(device::Cpu& cpu, const GridShape& wanted) {
    if (wanted == shape) return;
    shape = wanted;
    convolution = GridConvolution(shape);
    greens_function = make_greens_function<Law>(cpu, convolution, law);
    values.resize(static_cast<std::size_t>(Offset{shape.row()} * shape.nodes[1] * shape.nodes[2]) + 16);
}

template <class Law>
template <int D>
void Grid<Law>::State::repel(device::Cpu& cpu, GridOrder<D>& order, MatrixView<const float> y, const BoundingBox& box,
                             MatrixView<float> force, device::Cell<double>& mass) {
    const GridSpline spline = convolve(cpu, order, y, box.least, box.extent(D));
    mass.value = mass_of(gather_points(cpu, order, {spline.row, spline.plane}, force), y.rows);
}

template <class Law>
template <int D>
GridSpline Grid<Law>::State::convolve(device::Cpu& cpu, GridOrder<D>& order, MatrixView<const float> y,
                                      const std::array<float, 3>& origin, const std::array<double, 3>& extent) {
    prepare(cpu, grid_shape(static_cast<double>(spacing > 0 ? spacing : default_spacing(D)), extent, D));
    const GridFrame frame{origin, static_cast<float>(1 / shape.spacing)};
    order.sort(cpu, shape, frame, y);
    GridSpline spline{.values = values.data(), .row = shape.row(), .plane = Offset{shape.row()} * shape.nodes[1]};
    spread_points(cpu, order, {spline.row, spline.plane});
    convolution.run(cpu, values.data(), greens_function.values.data());
    for (std::size_t d = 0; d < D; ++d) {
        spline.origin[d] = static_cast<double>(origin[d]);
        spline.cells[d] = cells_within(shape.nodes[d]);
    }
    spline.inverse_spacing = static_cast<double>(frame.inverse_spacing);
    spline.scale = greens_function.scale;
    spline.constant = greens_function.floor * y.rows;
    return spline;
}

/// Strips 0, 2, 4.. at once, then 1, 3, 5..: every node gets its terms in one order.
template <class Law>
template <int D>
void Grid<Law>::State::spread_points(device::Cpu& cpu, const GridOrder<D>& order, const GridStrides& strides) {
    cpu.blocks(static_cast<Offset>(values.size()), 1 << 16,
               [&](Offset begin, Offset end, int) { std::fill(values.begin() + begin, values.begin() + end, 0.0F); });
    for (const int first : {0, 1}) {
        cpu.blocks((order.strips() + 1 - first) / 2, 1, [&](Offset block, Offset, int) {
            const int strip = first + 2 * static_cast<int>(block);
            const Offset begin = order.strip_begin(strip), end = order.strip_begin(strip + 1);
            spread<D>(order.points().data() + begin, end - begin, strides, values.data());
        });
    }
}

template <class Law>
template <int D>
double Grid<Law>::State::gather_points(device::Cpu& cpu, const GridOrder<D>& order, const GridStrides& strides,
                                       MatrixView<float> force) {
    constexpr Offset grain = 2048;
    const auto scale = static_cast<float>(greens_function.scale / shape.spacing);
    const auto n = static_cast<Offset>(order.points().size());
    std::vector<double> parts(static_cast<std::size_t>((n + grain - 1) / grain));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        parts[static_cast<std::size_t>(begin / grain)] =
            gather<D>(order.points().data() + begin, end - begin, strides, values.data(), scale, force);
    });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
}

template <class Law>
Grid<Law>::Grid(float spacing, Law law) : state_(std::make_unique<State>()) {
    state_->spacing = spacing;
    state_->law = law;
}

template <class Law>
Grid<Law>::~Grid() = default;

template <class Law>
float Grid<Law>::default_spacing(int dim) {
    return dim == 2 ? 1.0F / 3 : 0.4F;
}

template <class Law>
void Grid<Law>::repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force,
                      device::Cell<double>& mass) {
    mass.value = 0;
    if (y.rows == 0) return;
    const BoundingBox box = box_of(cpu, y);
    const auto extent = box.extent(y.cols);
    if (*std::max_element(extent.begin(), extent.end()) <= linear_extent<Law>) {
        repel_linearly<Law>(cpu, state_->law, y, box, force, mass);
    } else if (y.cols == 2) {
        state_->template repel<2>(cpu, state_->order2, y, box, force, mass);
    } else {
        state_->template repel<3>(cpu, state_->order3, y, box, force, mass);
    }
}

template <class Law>
GridSpline Grid<Law>::potential(device::Cpu& cpu, MatrixView<const float> y, device::Cell<double>& mass) {
    const BoundingBox box = box_of(cpu, y);
    const std::size_t axis = box.longest();
    const float margin = 2 + (box.most[axis] - box.least[axis]) / 20;
    std::array<float, 3> origin{};
    std::array<double, 3> extent = box.extent(y.cols);
    for (std::size_t d = 0; d < static_cast<std::size_t>(y.cols); ++d) {
        origin[d] = box.least[d] - margin;
        extent[d] += 2 * static_cast<double>(margin);
    }
    std::vector<float> unused(static_cast<std::size_t>(y.size()));
    const auto with = [&]<int D>(GridOrder<D>& order) {
        const GridSpline spline = state_->convolve(cpu, order, y, origin, extent);
        const GridStrides strides{spline.row, spline.plane};
        mass.value =
            state_->mass_of(state_->gather_points(cpu, order, strides, {unused.data(), y.rows, y.cols}), y.rows);
        return spline;
    };
    return y.cols == 2 ? with(state_->order2) : with(state_->order3);
}

template <class Law>
std::array<int, 3> Grid<Law>::nodes() const {
    return state_->shape.nodes;
}

template <class Law>
double Grid<Law>::spacing() const {
    return state_->shape.spacing;
}

template <class Law>
std::uint64_t Grid<Law>::bytes(float spacing, std::array<float, 3> extent, int dim, Offset n, int threads) {
    const std::array<double, 3> wide{extent[0], extent[1], dim == 3 ? extent[2] : 0};
    const GridShape shape = grid_shape(static_cast<double>(spacing > 0 ? spacing : default_spacing(dim)), wide, dim);
    const auto [nx, ny, nz] = shape.nodes;
    const auto places = static_cast<std::uint64_t>(Offset{nx + 1} * (ny + 1) * (dim == 3 ? nz + 1 : 1));
    const auto grid = static_cast<std::uint64_t>(Offset{shape.row()} * ny * nz) * sizeof(float);
    const std::uint64_t greens_function = places * sizeof(float) * (dim == 3 ? 2 : 1), octant = places * sizeof(float);
    const auto points = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(4 * (dim + 1));
    return grid + greens_function + octant + GridConvolution::bytes(shape, threads) + points;
}

template class Grid<StudentT>;
template class Grid<GeneralStudentT>;
template class Grid<Fuzzy>;
template class Grid<FurtherPairs>;

}  // namespace dunlin::forces
