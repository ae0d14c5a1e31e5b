// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/greens_function.hpp"

#include <cmath>
#include <numbers>

#include "forces/grid/passes.hpp"
#include "forces/law.hpp"
#include "math/bspline.hpp"

namespace dunlin::forces {

namespace {

using numerics::fft_element;

/// An octant of the kernel or of its transform, [z][y][x] with nodes + 1 values per axis.
struct Octant {
    explicit Octant(const GridShape& shape) {
        for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a) places[a] = shape.nodes[a] + 1;
        row_floats = Offset{(places[0] + grid_lanes - 1) / grid_lanes} * grid_lanes;
        values.resize(static_cast<std::size_t>(row_floats * rows()));
    }

    [[nodiscard]] float* row(Offset r) { return values.data() + r * row_floats; }
    [[nodiscard]] Offset rows() const { return Offset{places[1]} * places[2]; }

    std::array<int, 3> places{1, 1, 1};
    Offset row_floats = 0;
    device::AlignedBuffer<float> values;
};

/// 32 columns of an axis and the scratch memory of their transform.
struct TransformBuffers {
    explicit TransformBuffers(const GridAxis& axis)
        : columns(static_cast<std::size_t>((axis.nodes() + 1) * fft_element)),
          scratch(static_cast<std::size_t>(2 * axis.block())) {}

    device::AlignedBuffer<float> columns, scratch;
};

/// Folded distance between nodes that are i apart, in nodes.
double folded(int i, int nodes) {
    const int reach = nodes - GridShape::fold_nodes;
    if (i <= reach) return i;
    const double u = static_cast<double>(i - reach) / GridShape::fold_nodes;
    return reach + GridShape::fold_nodes * (u - std::pow(u, 5) / 5);
}

template <class Law>
void sample(device::Cpu& cpu, Law law, const GridShape& shape, Octant& kernel, GreensFunction& greens_function) {
    const auto squares = squared_distances(shape);
    greens_function.floor = potential_of(law, squares[0].back() + squares[1].back() + squares[2].back());
    greens_function.scale = potential_of(law, 0.0) - greens_function.floor;
    cpu.each(
        kernel.rows(),
        [&](Offset r) {
            float* row = kernel.row(r);
            const double y2 = squares[1][static_cast<std::size_t>(r % kernel.places[1])];
            const double z2 = squares[2][static_cast<std::size_t>(r / kernel.places[1])];
            for (std::size_t x = 0; x < squares[0].size(); ++x) {
                row[x] = static_cast<float>((potential_of(law, squares[0][x] + y2 + z2) - greens_function.floor) /
                                            greens_function.scale);
            }
        },
        16);
}

/// The transform of an even kernel is the cosine transform of its octant along each axis. Here along y or z, 32
/// adjacent columns at a time.
void transform_columns(device::Cpu& cpu, const GridAxis& axis, int which, Octant& octant) {
    const Offset across = which == 1 ? octant.places[2] : octant.places[1];
    const Offset blocks = (octant.row_floats + fft_element - 1) / fft_element;
    const Offset across_stride = which == 1 ? octant.places[1] : 1, stride = which == 1 ? 1 : octant.places[1];
    cpu.blocks(across * blocks, std::max<Offset>(1, blocks / 4), [&](Offset begin, Offset end, int) {
        TransformBuffers work(axis);
        for (Offset item = begin; item < end; ++item) {
            const Offset x = item % blocks * fft_element, count = std::min<Offset>(fft_element, octant.row_floats - x);
            const auto place = [&](Offset i) { return octant.row(item / blocks * across_stride + i * stride) + x; };
            for (Offset i = 0; i <= axis.nodes(); ++i) {
                std::copy(place(i), place(i) + count, work.columns.data() + i * fft_element);
            }
            cosine_transform(axis, work.columns.data(), work.scratch.data());
            for (Offset i = 0; i <= axis.nodes(); ++i) {
                const float* from = work.columns.data() + i * fft_element;
                std::copy(from, from + count, place(i));
            }
        }
    });
}

/// Transform along the last axis, x, 32 rows at a time, transposed to the layout that GridConvolution reads.
class RowTransform {
public:
    RowTransform(const GridConvolution& convolution, Octant& octant, GreensFunction& greens_function)
        : axis_(convolution.axis(0)), rows_(convolution.greens_rows()), octant_(octant), greens_(greens_function) {
        const GridShape& shape = convolution.shape();
        for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a)
            factors_[a] = axis_factors(shape.nodes[a]);
        greens_function.values.resize(convolution.greens_size());
    }

    void run(device::Cpu& cpu) {
        device::Cell<double> self;
        cpu.sum((blocks() + 1) / 2, [this](Offset pair) { return transform(pair); }, self, 1);
        greens_.self = self.value;
    }

private:
    [[nodiscard]] Offset blocks_per_plane() const { return static_cast<Offset>(rows_.size()) / grid_lanes; }
    [[nodiscard]] Offset blocks() const { return blocks_per_plane() * octant_.places[2]; }

    /// Mode of y of a row of the Green's function; -1 for padding.
    [[nodiscard]] int mode(Offset block, int lane) const {
        if (block >= blocks()) return -1;
        return rows_[static_cast<std::size_t>(block % blocks_per_plane() * grid_lanes + lane)];
    }

    double transform(Offset pair) {
        TransformBuffers work(axis_);
        for (int half = 0; half < 2; ++half) load(2 * pair + half, work.columns.data() + Offset{half} * grid_lanes);
        cosine_transform(axis_, work.columns.data(), work.scratch.data());
        double self = 0;
        for (int half = 0; half < 2; ++half) {
            if (2 * pair + half < blocks())
                self += store(2 * pair + half, work.columns.data() + Offset{half} * grid_lanes);
        }
        return self;
    }

    void load(Offset block, float* to) {
        for (int lane = 0; lane < grid_lanes; ++lane) {
            const int y = mode(block, lane);
            if (y < 0) continue;
            const float* from = octant_.row(block / blocks_per_plane() * octant_.places[1] + y);
            for (int x = 0; x <= axis_.nodes(); ++x) to[Offset{x} * fft_element + lane] = from[x];
        }
    }

    /// Stores half of the value, because GridConvolution doubles pairs of real columns. Returns the block's part of
    /// `self`.
    double store(Offset block, const float* from) {
        const auto z = static_cast<std::size_t>(block / blocks_per_plane());
        double outer[grid_lanes] = {}, outer_self[grid_lanes] = {}, self = 0;
        for (int lane = 0; lane < grid_lanes; ++lane) {
            const int y = mode(block, lane);
            if (y < 0) continue;
            const auto k = static_cast<std::size_t>(y);
            const bool whole_circle = octant_.places[2] > 1 && y > 0 && y < octant_.places[1] - 1;  // counts y and -y
            outer[lane] = factors_[1].deconvolution[k] * factors_[2].deconvolution[z];
            outer_self[lane] = outer[lane] * factors_[1].self[k] * factors_[2].self[z] / (whole_circle ? 2 : 1);
        }
        float* to = greens_.values.data() + block * (axis_.nodes() + 1) * grid_lanes;
        for (int x = 0; x <= axis_.nodes(); ++x, from += fft_element, to += grid_lanes) {
            const auto k = static_cast<std::size_t>(x);
            for (int lane = 0; lane < grid_lanes; ++lane) {
                const double value = static_cast<double>(from[lane]) * factors_[0].deconvolution[k];
                self += value * outer_self[lane] * factors_[0].self[k];
                to[lane] = static_cast<float>(value * outer[lane] / 2);
            }
        }
        return self;
    }

    const GridAxis& axis_;
    const std::vector<int>& rows_;
    Octant& octant_;
    GreensFunction& greens_;
    std::array<AxisFactors, 3> factors_;
};

}  // namespace

std::array<std::vector<double>, 3> squared_distances(const GridShape& shape) {
    std::array<std::vector<double>, 3> squares{std::vector<double>{0}, {0}, {0}};
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a) {
        squares[a].resize(static_cast<std::size_t>(shape.nodes[a]) + 1);
        for (int i = 0; i <= shape.nodes[a]; ++i) {
            squares[a][static_cast<std::size_t>(i)] = std::pow(folded(i, shape.nodes[a]) * shape.spacing, 2);
        }
    }
    return squares;
}

AxisFactors axis_factors(int nodes) {
    AxisFactors factors{std::vector<double>(static_cast<std::size_t>(nodes) + 1),
                        std::vector<double>(static_cast<std::size_t>(nodes) + 1)};
    for (int k = 0; k <= nodes; ++k) {
        const double angle = std::numbers::pi * k / nodes;
        factors.deconvolution[static_cast<std::size_t>(k)] =
            1 / (std::pow(math::bspline_spectrum<grid_order>(angle), 2) * 2 * nodes);
        factors.self[static_cast<std::size_t>(k)] =
            (k == 0 || k == nodes ? 1 : 2) * math::bspline_spectrum<2 * grid_order>(angle);
    }
    return factors;
}

template <class Law>
GreensFunction make_greens_function(device::Cpu& cpu, const GridConvolution& convolution, Law law) {
    const GridShape& shape = convolution.shape();
    GreensFunction greens_function;
    Octant octant(shape);
    sample<Law>(cpu, law, shape, octant, greens_function);
    for (int axis = shape.dim - 1; axis > 0; --axis) transform_columns(cpu, convolution.axis(axis), axis, octant);
    RowTransform(convolution, octant, greens_function).run(cpu);
    return greens_function;
}

template GreensFunction make_greens_function<StudentT>(device::Cpu&, const GridConvolution&, StudentT);
template GreensFunction make_greens_function<GeneralStudentT>(device::Cpu&, const GridConvolution&, GeneralStudentT);
template GreensFunction make_greens_function<Fuzzy>(device::Cpu&, const GridConvolution&, Fuzzy);
template GreensFunction make_greens_function<FurtherPairs>(device::Cpu&, const GridConvolution&, FurtherPairs);

}  // namespace dunlin::forces
