#include "forces/grid_spectrum.hpp"

#include <cmath>
#include <numbers>

#define POCKETFFT_NO_MULTITHREADING
#include <pocketfft.hpp>

#include "forces/law.hpp"
#include "math/bspline.hpp"

namespace dunlin::forces {

namespace {

/// An octant of the kernel or of its spectrum, [z][y][x] with nodes + 1 places each.
struct Octant {
    explicit Octant(const GridShape& shape) {
        for (int a = 0; a < shape.dim; ++a)
            places[static_cast<std::size_t>(a)] = shape.nodes[static_cast<std::size_t>(a)] + 1;
        values.resize(static_cast<std::size_t>(Offset{places[0]} * places[1] * places[2]));
    }

    [[nodiscard]] double* row(Offset r) { return values.data() + r * places[0]; }
    [[nodiscard]] Offset rows() const { return Offset{places[1]} * places[2]; }

    std::array<int, 3> places{1, 1, 1};
    std::vector<double> values;
};

/// Distance between nodes that are i apart, in nodes: true up to the reach, then bent smoothly towards a level place at
/// `nodes`, where the kernel meets its mirror image.
double folded(int i, int nodes) {
    const int reach = nodes - GridShape::fold_nodes;
    if (i <= reach) return i;
    const double u = static_cast<double>(i - reach) / GridShape::fold_nodes;
    return reach + GridShape::fold_nodes * (u - std::pow(u, 5) / 5);
}

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

template <class Law>
void sample(device::Cpu& cpu, const GridShape& shape, Octant& kernel, GridSpectrum& spectrum) {
    const auto squares = squared_distances(shape);
    spectrum.floor = Law::mass(squares[0].back() + squares[1].back() + squares[2].back());
    spectrum.scale = Law::mass(0.0) - spectrum.floor;
    cpu.each(
        kernel.rows(),
        [&](Offset r) {
            double* row = kernel.row(r);
            const double y2 = squares[1][static_cast<std::size_t>(r % kernel.places[1])];
            const double z2 = squares[2][static_cast<std::size_t>(r / kernel.places[1])];
            for (std::size_t x = 0; x < squares[0].size(); ++x) {
                row[x] = (Law::mass(squares[0][x] + y2 + z2) - spectrum.floor) / spectrum.scale;
            }
        },
        16);
}

/// An even kernel's transform is a cosine transform of its octant, axis by axis.
void transform(device::Cpu& cpu, const GridShape& shape, Octant& octant) {
    const auto [nx, ny, nz] = octant.places;
    const auto one = static_cast<std::ptrdiff_t>(sizeof(double));
    const pocketfft::stride_t strides{nx * ny * one, nx * one, one};
    const auto along = [&](std::size_t axis, std::size_t cut, Offset begin, Offset end) {
        pocketfft::shape_t shape_of_slab{static_cast<std::size_t>(nz), static_cast<std::size_t>(ny),
                                         static_cast<std::size_t>(nx)};
        shape_of_slab[cut] = static_cast<std::size_t>(end - begin);
        double* slab = octant.values.data() + begin * strides[cut] / one;
        pocketfft::dct(shape_of_slab, strides, strides, {axis}, 1, slab, slab, 1.0, false, 1);
    };
    const std::size_t rows_cut = shape.dim == 3 ? 0 : 1;
    cpu.blocks(rows_cut == 0 ? nz : ny, 16, [&](Offset b, Offset e, int) { along(2, rows_cut, b, e); });
    cpu.blocks(nx, 32, [&](Offset b, Offset e, int) { along(1, 2, b, e); });
    if (shape.dim == 3) cpu.blocks(ny, 8, [&](Offset b, Offset e, int) { along(0, 1, b, e); });
}

/// Factors of one axis for its harmonics: the splines divided out and the 2 * nodes of the backward transform; and how
/// often the harmonic occurs times what the splines make of a point's own value.
struct AxisFactors {
    std::vector<double> deconvolution{1}, self{1};
};

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

std::array<AxisFactors, 3> all_factors(const GridShape& shape) {
    std::array<AxisFactors, 3> factors;
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a) factors[a] = axis_factors(shape.nodes[a]);
    return factors;
}

double deconvolve(device::Cpu& cpu, const GridShape& shape, Octant& octant) {
    const auto factors = all_factors(shape);
    device::Cell<double> self;
    cpu.sum(
        octant.rows(),
        [&](Offset r) {
            double* row = octant.row(r);
            const auto y = static_cast<std::size_t>(r % octant.places[1]),
                       z = static_cast<std::size_t>(r / octant.places[1]);
            const double outer = factors[1].deconvolution[y] * factors[2].deconvolution[z];
            double sum = 0;
            for (std::size_t x = 0; x < factors[0].self.size(); ++x) {
                row[x] *= outer * factors[0].deconvolution[x];
                sum += row[x] * factors[0].self[x];
            }
            return sum * factors[1].self[y] * factors[2].self[z];
        },
        self, 16);
    return self.value;
}

/// To the order of GridConvolution, halved because pairs of real columns come out of it doubled.
void arrange(device::Cpu& cpu, const GridConvolution& convolution, Octant& octant, GridSpectrum& spectrum) {
    const auto& rows = convolution.spectrum_rows();
    const auto row_blocks = static_cast<Offset>(rows.size() / 16);
    spectrum.values.resize(convolution.spectrum_size());
    cpu.each(
        row_blocks * octant.places[2],
        [&](Offset block) {
            float* to = spectrum.values.data() + block * octant.places[0] * 16;
            for (Offset lane = 0; lane < 16; ++lane) {
                const int y = rows[static_cast<std::size_t>(block % row_blocks * 16 + lane)];
                const double* from = octant.row(block / row_blocks * octant.places[1] + std::max(y, 0));
                for (int x = 0; x < octant.places[0]; ++x) {
                    to[Offset{x} * 16 + lane] = y < 0 ? 0 : static_cast<float>(from[x] / 2);
                }
            }
        },
        1);
}

}  // namespace

template <class Law>
GridSpectrum grid_spectrum(device::Cpu& cpu, const GridConvolution& convolution) {
    const GridShape& shape = convolution.shape();
    GridSpectrum spectrum;
    Octant octant(shape);
    sample<Law>(cpu, shape, octant, spectrum);
    transform(cpu, shape, octant);
    spectrum.self = deconvolve(cpu, shape, octant);
    arrange(cpu, convolution, octant, spectrum);
    return spectrum;
}

template GridSpectrum grid_spectrum<StudentT>(device::Cpu&, const GridConvolution&);

}  // namespace dunlin::forces
