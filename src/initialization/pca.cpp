// SPDX-License-Identifier: Apache-2.0
#include "initialization/pca.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "initialization/dense.hpp"
#include "initialization/unit.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "numerics/blas.hpp"
#include "progress/cancel.hpp"

namespace dunlin::initialization {

namespace {

constexpr Index tile = 256;             // rows handed to BLAS at once
constexpr Index largest_square = 1500;  // up to here a d x d or n x n matrix is cheap to build and to solve
constexpr Index narrow_square = 512;    // the same for d x d sums over pairs of stored numbers
using Doubles = Eigen::MatrixXd;
using DoubleRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of a stripe: up to 8 stripes, independent of the number of threads, whose sums are added in order.
Offset stripe_rows(Index rows) { return std::max<Offset>(tile, (Offset{rows} + 7) / 8); }

/// What is subtracted from the columns, and the unit in which products of float32 take the rest (unit_of).
struct Centering {
    std::vector<double> means;
    double unit = 1;
};

Centering center_of(device::Cpu& cpu, MatrixView<const float> x) {
    struct Part {
        std::vector<double> sums;
        float largest = 0;
    };
    const Offset grain = stripe_rows(x.rows);
    std::vector<Part> parts(at((x.rows + grain - 1) / grain));
    cpu.blocks(x.rows, grain, [&](Offset begin, Offset end, int) {
        Part& part = parts[at(begin / grain)];
        part.sums.assign(at(x.cols), 0.0);
        for (Offset r = begin; r < end; ++r) {
            const float* row = x.data + r * x.cols;
            for (Index c = 0; c < x.cols; ++c) {
                part.sums[at(c)] += row[c];
                part.largest = std::max(part.largest, std::abs(row[c]));
            }
        }
    });
    Centering center{std::vector<double>(at(x.cols), 0.0)};
    float largest = 0;
    for (const Part& part : parts) {
        for (std::size_t c = 0; c < center.means.size(); ++c) center.means[c] += part.sums[c] / x.rows;
        largest = std::max(largest, part.largest);
    }
    center.unit = unit_of(static_cast<double>(largest));
    return center;
}

/// Sums of products of sparse rows are in double.
Centering center_of(device::Cpu&, const SparseView& x) {
    Centering center{std::vector<double>(at(x.cols), 0.0)};
    for (std::size_t e = 0; e < x.columns.size(); ++e)
        center.means[at(x.columns[e])] += static_cast<double>(x.values[e]);
    for (double& mean : center.means) mean /= x.rows;
    return center;
}

/// Rows [begin, end) minus the column means, in the unit of the center.
void centered_rows(MatrixView<const float> x, const Centering& center, Offset begin, Offset end, Floats& rows) {
    rows.resize(end - begin, x.cols);
    for (Offset r = begin; r < end; ++r) {
        for (Index c = 0; c < x.cols; ++c) {
            rows(r - begin, c) = static_cast<float>((x.data[r * x.cols + c] - center.means[at(c)]) * center.unit);
        }
    }
}

/// Calls body(tile of centered rows, first row, stripe) for all tiles of all stripes.
template <class Body>
void for_tiles(device::Cpu& cpu, MatrixView<const float> x, const Centering& center, const Body& body) {
    const Offset grain = stripe_rows(x.rows);
    cpu.blocks(x.rows, grain, [&](Offset begin, Offset end, int) {
        Floats rows;
        for (Offset r = begin; r < end; r += tile) {
            progress::cancellation_point();
            centered_rows(x, center, r, std::min<Offset>(end, r + tile), rows);
            body(rows, r, begin / grain);
        }
    });
}

/// Sum over all tiles. body(rows, first row, sum) adds a tile to its stripe's sum (rows x cols); stripes are added in
/// order.
template <class Body>
Doubles sum_of_tiles(device::Cpu& cpu, MatrixView<const float> x, const Centering& center, Index rows, Index cols,
                     const Body& body) {
    const Offset grain = stripe_rows(x.rows);
    std::vector<Doubles> parts(at((x.rows + grain - 1) / grain));
    for_tiles(cpu, x, center, [&](const Floats& tile_rows, Offset first, Offset stripe) {
        Doubles& part = parts[at(stripe)];
        if (part.size() == 0) part = Doubles::Zero(rows, cols);
        body(tile_rows, first, part);
    });
    Doubles total = Doubles::Zero(rows, cols);
    for (const Doubles& part : parts) {
        if (part.size() > 0) total += part;
    }
    return total;
}

Doubles covariance(device::Cpu& cpu, MatrixView<const float> x, const Centering& center) {
    const Index d = x.cols;
    return sum_of_tiles(cpu, x, center, d, d, [&](const Floats& rows, Offset, Doubles& part) {
        Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic> product(d, d);
        product.setZero();
        cblas_ssyrk(CblasColMajor, CblasUpper, CblasNoTrans, d, static_cast<int>(rows.rows()), 1.0F, rows.data(), d,
                    0.0F, product.data(), d);
        part += product.cast<double>();
    });
}

/// Calls body(row number, row, sum of its stripe) for all sparse rows, and adds up the sums (rows x cols) in order.
template <class Body>
Doubles sum_of_rows(device::Cpu& cpu, const SparseView& x, Index rows, Index cols, const Body& body) {
    const Offset grain = stripe_rows(x.rows);
    std::vector<DoubleRows> parts(at((x.rows + grain - 1) / grain));
    cpu.blocks(x.rows, grain, [&](Offset begin, Offset end, int) {
        DoubleRows& part = parts[at(begin / grain)];
        part = DoubleRows::Zero(rows, cols);
        for (Offset r = begin; r < end; ++r) {
            if (r % tile == 0) progress::cancellation_point();
            body(static_cast<Index>(r), x.row(static_cast<Index>(r)), part);
        }
    });
    Doubles total = Doubles::Zero(rows, cols);
    for (const DoubleRows& part : parts) total += part;
    return total;
}

Eigen::Map<const Eigen::VectorXd> means_of(const Centering& center) {
    return {center.means.data(), static_cast<Eigen::Index>(center.means.size())};
}

/// Upper triangle of X^T X - n mean mean^T.
Doubles covariance(device::Cpu& cpu, const SparseView& x, const Centering& center) {
    const Doubles sum = sum_of_rows(cpu, x, x.cols, x.cols, [](Index, SparseRow row, DoubleRows& part) {
        for (std::size_t a = 0; a < row.columns.size(); ++a) {
            for (std::size_t b = a; b < row.columns.size(); ++b) {
                part(row.columns[a], row.columns[b]) +=
                    static_cast<double>(row.values[a]) * static_cast<double>(row.values[b]);
            }
        }
    });
    return sum - x.rows * (means_of(center) * means_of(center).transpose());
}

/// The `count` leading eigenvectors of a symmetric matrix (upper triangle given), largest eigenvalue first.
Doubles leading_eigenvectors(const Doubles& a, Index count) {
    const auto size = static_cast<Index>(a.rows());
    const Eigenpairs pairs = leading_eigenpairs({a.data(), a.data() + a.size()}, size, count);
    return Eigen::Map<const Doubles>(pairs.vectors.data(), size, count);
}

/// X v for centered X in its unit, n x v.cols(); each row belongs to one stripe.
Floats times(device::Cpu& cpu, MatrixView<const float> x, const Centering& center, const Doubles& v) {
    const Floats narrow = v.cast<float>();
    const auto width = static_cast<int>(v.cols());
    Floats product(x.rows, width);
    for_tiles(cpu, x, center, [&](const Floats& rows, Offset first, Offset) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows.rows()), width, x.cols, 1.0F,
                    rows.data(), x.cols, narrow.data(), width, 0.0F, product.data() + first * width, width);
    });
    return product;
}

/// X^T u for centered X in its unit, d x u.cols().
Doubles transposed_times(device::Cpu& cpu, MatrixView<const float> x, const Centering& center, const Floats& u) {
    const auto width = static_cast<int>(u.cols());
    return sum_of_tiles(cpu, x, center, x.cols, width, [&](const Floats& rows, Offset first, Doubles& part) {
        Floats product(x.cols, width);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, x.cols, width, static_cast<int>(rows.rows()), 1.0F,
                    rows.data(), x.cols, u.data() + first * width, width, 0.0F, product.data(), width);
        part += product.cast<double>();
    });
}

/// X v - 1 (mean^T v): the product of the centered rows.
Floats times(device::Cpu& cpu, const SparseView& x, const Centering& center, const Doubles& v) {
    const DoubleRows by_row = v;
    const Eigen::RowVectorXd less = means_of(center).transpose() * by_row;
    Floats product(x.rows, v.cols());
    cpu.blocks(x.rows, stripe_rows(x.rows), [&](Offset begin, Offset end, int) {
        Eigen::RowVectorXd sum(v.cols());
        for (Offset r = begin; r < end; ++r) {
            if (r % tile == 0) progress::cancellation_point();
            const SparseRow row = x.row(static_cast<Index>(r));
            sum = -less;
            for (std::size_t e = 0; e < row.columns.size(); ++e)
                sum += static_cast<double>(row.values[e]) * by_row.row(row.columns[e]);
            product.row(r) = sum.cast<float>();
        }
    });
    return product;
}

/// X^T u - mean (1^T u).
Doubles transposed_times(device::Cpu& cpu, const SparseView& x, const Centering& center, const Floats& u) {
    const auto width = static_cast<Index>(u.cols());
    const Doubles sum = sum_of_rows(cpu, x, x.cols, width, [&](Index r, SparseRow row, DoubleRows& part) {
        const Eigen::RowVectorXd own = u.row(r).cast<double>();
        for (std::size_t e = 0; e < row.columns.size(); ++e)
            part.row(row.columns[e]) += static_cast<double>(row.values[e]) * own;
    });
    const Eigen::RowVectorXd ones = u.cast<double>().colwise().sum();
    return sum - means_of(center) * ones;
}

Doubles orthonormal(Doubles v) {
    make_orthonormal(v.data(), static_cast<Index>(v.rows()), static_cast<Index>(v.cols()));
    return v;
}

/// The axes of data with few rows, from the eigenvectors u of X X^T: X^T u, made orthonormal.
Doubles gram_axes(device::Cpu& cpu, MatrixView<const float> x, const Centering& center, Index count) {
    Floats all;
    centered_rows(x, center, 0, x.rows, all);
    Eigen::MatrixXf gram(x.rows, x.rows);
    cblas_ssyrk(CblasColMajor, CblasUpper, CblasTrans, x.rows, x.cols, 1.0F, all.data(), x.cols, 0.0F, gram.data(),
                x.rows);
    // Where the points have fewer dimensions than axes, X^T u is rounding in the span of the axes before it
    return orthonormal(
        transposed_times(cpu, x, center, leading_eigenvectors(gram.cast<double>(), count).cast<float>()));
}

/// Block Krylov iteration (Musco and Musco 2015): Rayleigh-Ritz in the span of G, AG, AAG .. for A = X^T X. For data
/// too wide for a covariance matrix. X: a dense or a sparse view.
template <class X>
Doubles krylov_axes(device::Cpu& cpu, const X& x, const Centering& center, Index count) {
    constexpr Index depth = 8;
    const Index width = std::min({count + 8, x.rows, x.cols / (depth + 1)});
    Doubles block(x.cols, width);
    for (Index c = 0; c < width; ++c) {
        for (Index r = 0; r < x.cols; ++r)
            block(r, c) = math::random_normal(0, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
    }
    Doubles basis(x.cols, width * depth);
    for (Index level = 0; level < depth; ++level) {
        block = orthonormal(transposed_times(cpu, x, center, times(cpu, x, center, block)));
        basis.middleCols(Offset{level} * width, width) = block;
    }
    basis = orthonormal(basis);
    const Doubles small = basis.transpose() * transposed_times(cpu, x, center, times(cpu, x, center, basis));
    return basis * leading_eigenvectors(small, std::min<Index>(count, static_cast<Index>(small.rows())));
}

Doubles axes_of(device::Cpu& cpu, MatrixView<const float> x, const Centering& center, Index count) {
    if (x.cols <= largest_square) return leading_eigenvectors(covariance(cpu, x, center), count);
    if (x.rows <= largest_square) return gram_axes(cpu, x, center, count);
    return krylov_axes(cpu, x, center, count);
}

Doubles axes_of(device::Cpu& cpu, const SparseView& x, const Centering& center, Index count) {
    if (x.cols <= narrow_square) return leading_eigenvectors(covariance(cpu, x, center), count);
    return krylov_axes(cpu, x, center, count);
}

/// Rows less their means, of length 1; constant rows become 0.
std::vector<float> standard_rows(device::Cpu& cpu, MatrixView<const float> rows) {
    std::vector<float> standard(at(Offset{rows.rows} * rows.cols));
    cpu.each(
        rows.rows,
        [&](Offset r) {
            const float* row = rows.data + r * rows.cols;
            double sum = 0, squares = 0;
            for (Index c = 0; c < rows.cols; ++c) sum += static_cast<double>(row[c]);
            const double mean = sum / rows.cols;
            const auto centered = [&](Index c) { return static_cast<double>(row[c]) - mean; };
            for (Index c = 0; c < rows.cols; ++c) squares += centered(c) * centered(c);
            const double factor = squares > 0 ? 1 / std::sqrt(squares) : 0;
            for (Index c = 0; c < rows.cols; ++c)
                standard[at(r * rows.cols + c)] = static_cast<float>(factor * centered(c));
        },
        64);
    return standard;
}

/// An isometry of k numbers into the plane of k + 1 numbers that add up to 0: along the columns (1, .., 1, -a, 0, ..,
/// 0) / sqrt(a (a + 1)) with a ones, of Helmert's matrix.
void turn_to_mean_zero(const double* from, int k, float* to) {
    std::vector<double> turned(at(k) + 1, 0.0);
    for (int a = 1; a <= k; ++a) {
        const double part = from[a - 1] / std::sqrt(static_cast<double>(a) * (a + 1));
        for (int c = 0; c < a; ++c) turned[at(c)] += part;
        turned[at(a)] -= a * part;
    }
    std::copy(turned.begin(), turned.end(), to);
}

template <class X>
std::vector<float> coordinates_of(device::Cpu& cpu, const X& points, int components) {
    numerics::hold_blas_to_one_thread();
    std::vector<float> coordinates(at(Offset{points.rows} * components), 0.0F);
    if (points.rows < 2 || points.cols < 1) return coordinates;

    const Centering center = center_of(cpu, points);
    const Index count = std::min<Index>({components, points.cols, points.rows});
    Doubles axes = axes_of(cpu, points, center, count);
    make_signs_canonical(axes.data(), points.cols, static_cast<Index>(axes.cols()));

    const Floats projected = times(cpu, points, center, axes);
    for (Index r = 0; r < points.rows; ++r) {
        for (Index c = 0; c < projected.cols(); ++c)
            coordinates[at(Offset{r} * components + c)] =
                static_cast<float>(static_cast<double>(projected(r, c)) / center.unit);
    }
    return coordinates;
}

}  // namespace

std::vector<float> principal_coordinates(device::Cpu& cpu, MatrixView<const float> points, int components) {
    return coordinates_of(cpu, points, components);
}

std::vector<float> principal_coordinates(device::Cpu& cpu, const SparseView& points, int components) {
    return coordinates_of(cpu, points, components);
}

std::vector<float> correlation_coordinates(device::Cpu& cpu, MatrixView<const float> points, int components) {
    return principal_projection(cpu, points, components, Likeness::correlation).of(cpu, points);
}

PrincipalProjection principal_projection(device::Cpu& cpu, MatrixView<const float> points, int components,
                                         Likeness likeness) {
    numerics::hold_blas_to_one_thread();
    PrincipalProjection projection{points.cols, components, std::vector<double>(at(points.cols), 0.0),
                                   std::vector<double>(at(Offset{points.cols} * components), 0.0), likeness};
    if (points.rows < 2 || points.cols < 1) return projection;
    std::vector<float> standard;
    Centering center{projection.means};
    if (likeness == Likeness::correlation) {
        standard = standard_rows(cpu, points);
        points.data = standard.data();
    } else {
        center = center_of(cpu, points);
    }
    const Index count = std::min<Index>({components, points.cols, points.rows});
    Doubles axes = axes_of(cpu, points, center, count);
    projection.means = std::move(center.means);
    make_signs_canonical(axes.data(), points.cols, static_cast<Index>(axes.cols()));
    for (Index c = 0; c < points.cols; ++c) {
        for (Index a = 0; a < axes.cols(); ++a) projection.axes[at(Offset{c} * components + a)] = axes(c, a);
    }
    return projection;
}

std::vector<float> PrincipalProjection::of(device::Cpu& cpu, MatrixView<const float> rows) const {
    const bool of_correlation = likeness == Likeness::correlation;
    const std::vector<float> standard = of_correlation ? standard_rows(cpu, rows) : std::vector<float>{};
    if (of_correlation) rows.data = standard.data();
    std::vector<float> scores(at(Offset{rows.rows} * width()));
    cpu.blocks(rows.rows, 64, [&](Offset begin, Offset end, int) {
        std::vector<double> sum(at(components));
        for (Offset r = begin; r < end; ++r) {
            std::fill(sum.begin(), sum.end(), 0.0);
            for (Index c = 0; c < rows.cols; ++c) {
                const double value = static_cast<double>(rows.data[r * rows.cols + c]) - means[at(c)];
                const double* axis = axes.data() + Offset{c} * components;
                for (std::size_t a = 0; a < sum.size(); ++a) sum[a] += value * axis[a];
            }
            float* to = scores.data() + r * width();
            if (of_correlation) {
                turn_to_mean_zero(sum.data(), components, to);
            } else {
                std::transform(sum.begin(), sum.end(), to, [](double score) { return static_cast<float>(score); });
            }
        }
    });
    return scores;
}

}  // namespace dunlin::initialization
