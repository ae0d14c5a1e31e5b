#include "mds/spectral.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "device/blas.hpp"
#include "math/rng.hpp"
#include "mds/shape.hpp"
#include "start/dense.hpp"
#include "start/pca.hpp"

namespace dunlin::mds {

namespace {

using Doubles = Eigen::MatrixXd;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double rounding = 1e-7;  ///< an eigenvalue below this share of the first is 0 for float32

/// squares(k, j) = delta(rows[k], j)^2.
Doubles squared_rows(device::Cpu& cpu, const Source& source, std::span<const Index> rows) {
    const Index n = source.size();
    Doubles squares(std::ssize(rows), n);
    cpu.blocks(n, tile_columns, [&](Offset begin, Offset end, int) {
        std::vector<float> tile(rows.size() * tile_columns);
        source.tile(rows, static_cast<Index>(begin), static_cast<Index>(end - begin), tile.data(), tile_columns);
        for (Offset k = 0; k < std::ssize(rows); ++k) {
            for (Offset j = begin; j < end; ++j) {
                const auto delta = static_cast<double>(tile[static_cast<std::size_t>(k * tile_columns + j - begin)]);
                squares(k, j) = delta * delta;
            }
        }
    });
    return squares;
}

/// -1/2 J A J', rows and columns centred.
void centre_doubly(Doubles& a) {
    const Eigen::VectorXd row_means = a.rowwise().mean();
    a.colwise() -= row_means;
    const Eigen::RowVectorXd column_means = a.colwise().mean();
    a.rowwise() -= column_means;
    a *= -0.5;
}

struct Spectrum {
    Eigen::VectorXd values;
    Doubles vectors;  ///< a column each
};

/// The leading eigenpairs, largest first, signs canonical; those that are missing or not above 0 are 0.
Spectrum leading(const Doubles& a, int count) {
    const auto size = static_cast<Index>(a.rows()), found = std::min<Index>(count, size);
    start::Eigenpairs pairs = start::leading_eigenpairs({a.data(), a.data() + a.size()}, size, found);
    start::make_signs_canonical(pairs.vectors.data(), size, found);
    Spectrum result{Eigen::VectorXd::Zero(count), Doubles::Zero(size, count)};
    for (Index c = 0; c < found; ++c) {
        const double value = pairs.values[static_cast<std::size_t>(c)];
        if (!(value > rounding * pairs.values[0])) continue;
        result.values(c) = value;
        result.vectors.col(c) = Eigen::Map<const Eigen::VectorXd>(pairs.vectors.data() + Offset{c} * size, size);
    }
    return result;
}

Map map_of(const Doubles& coordinates) {
    Map map{static_cast<int>(coordinates.cols()), {}};
    for (Offset i = 0; i < coordinates.rows(); ++i) {
        for (Offset c = 0; c < coordinates.cols(); ++c)
            map.coordinates.push_back(static_cast<float>(coordinates(i, c)));
    }
    return map;
}

/// D^2 v, n x v.cols().
Doubles squares_times(device::Cpu& cpu, const Source& source, const Doubles& v) {
    const Index n = source.size();
    const auto width = static_cast<int>(v.cols());
    const Floats narrow = v.cast<float>();
    Doubles product = Doubles::Zero(n, width);
    cpu.blocks(n, tile_rows, [&](Offset first, Offset last, int) {
        std::vector<Index> rows(static_cast<std::size_t>(last - first));
        std::iota(rows.begin(), rows.end(), static_cast<Index>(first));
        Floats tile(last - first, tile_columns), part(last - first, width);
        for (Index begin = 0; begin < n; begin += tile_columns) {
            const Index count = std::min(tile_columns, n - begin);
            source.tile(rows, begin, count, tile.data(), tile_columns);
            tile = tile.cwiseProduct(tile).eval();
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(last - first), width, count, 1.0F,
                        tile.data(), tile_columns, narrow.data() + Offset{begin} * width, width, 0.0F, part.data(),
                        width);
            product.middleRows(first, last - first) += part.cast<double>();
        }
    });
    return product;
}

/// -1/2 J D^2 J v.
Doubles centred_times(device::Cpu& cpu, const Source& source, Doubles v) {
    const Eigen::RowVectorXd before = v.colwise().mean();
    v.rowwise() -= before;
    Doubles product = squares_times(cpu, source, v);
    const Eigen::RowVectorXd after = product.colwise().mean();
    product.rowwise() -= after;
    return -0.5 * product;
}

Doubles orthonormal(Doubles v) {
    start::make_orthonormal(v.data(), static_cast<Index>(v.rows()), static_cast<Index>(v.cols()));
    return v;
}

/// The best eigenvectors in the span of G, BG, BBG, .. for random G, by Rayleigh and Ritz.
Map krylov(device::Cpu& cpu, const Source& source, int dim) {
    constexpr Index depth = 8;
    const Index width = std::min(dim + 8, source.size() / depth);
    Doubles block(source.size(), width);
    for (Index c = 0; c < width; ++c) {
        for (Index r = 0; r < source.size(); ++r)
            block(r, c) = math::random_normal(0, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
    }
    Doubles basis(source.size(), width * depth);
    for (Index level = 0; level < depth; ++level) {
        block = orthonormal(centred_times(cpu, source, block));
        basis.middleCols(Offset{level} * width, width) = block;
    }
    basis = orthonormal(basis);
    const Spectrum small = leading(basis.transpose() * centred_times(cpu, source, basis), dim);
    Doubles vectors = basis * small.vectors;
    start::make_signs_canonical(vectors.data(), source.size(), dim);
    return map_of(vectors * small.values.cwiseSqrt().asDiagonal());
}

/// Each new pivot is the item farthest from its nearest pivot, the first of equals; the first is drawn.
std::vector<Index> far_items(device::Cpu& cpu, const Source& source, Index count, const Run& run) {
    const Index n = source.size();
    std::vector<Index> chosen{static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), run.seed, 0))};
    source.want(cpu, chosen, run);
    Eigen::RowVectorXd nearest = squared_rows(cpu, source, chosen);
    while (std::ssize(chosen) < count) {
        Offset farthest = 0;
        nearest.maxCoeff(&farthest);
        chosen.push_back(static_cast<Index>(farthest));
        source.want(cpu, std::span(chosen).last(1), run);
        nearest = nearest.cwiseMin(squared_rows(cpu, source, std::span(chosen).last(1)));
    }
    return chosen;
}

}  // namespace

Map classical(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim) {
    constexpr Index largest_exact = 1000;
    device::hold_blas_to_one_thread();
    if (items.metric() == neighbors::Metric::euclidean) {
        return {dim, start::principal_coordinates(cpu, items.values().view(), dim)};
    }
    if (source.size() > largest_exact) return krylov(cpu, source, dim);
    std::vector<Index> all(static_cast<std::size_t>(source.size()));
    std::iota(all.begin(), all.end(), Index{0});
    Doubles b = squared_rows(cpu, source, all);
    centre_doubly(b);
    const Spectrum axes = leading(b, dim);
    return map_of(axes.vectors * axes.values.cwiseSqrt().asDiagonal());
}

Map landmark(device::Cpu& cpu, const Source& source, int dim, std::span<const Index> chosen, const Run& run) {
    source.want(cpu, chosen, run);
    const Index count = static_cast<Index>(chosen.size());
    Doubles squares = squared_rows(cpu, source, chosen);
    Doubles b(count, count);
    for (Index k = 0; k < count; ++k) b.col(k) = squares.col(chosen[static_cast<std::size_t>(k)]);
    const Eigen::VectorXd mean = b.rowwise().mean();
    centre_doubly(b);
    Spectrum axes = leading(b, dim);
    for (Index c = 0; c < dim; ++c) {
        if (axes.values(c) > 0) axes.vectors.col(c) /= std::sqrt(axes.values(c));
    }
    squares.colwise() -= mean;
    return map_of(-0.5 * squares.transpose() * axes.vectors);
}

Map pivot(device::Cpu& cpu, const Source& source, int dim, Index count, const Run& run) {
    return pivot(cpu, source, dim, far_items(cpu, source, count, run));
}

Map pivot(device::Cpu& cpu, const Source& source, int dim, std::span<const Index> chosen) {
    const auto count = static_cast<Index>(chosen.size());
    Doubles c = squared_rows(cpu, source, chosen);
    centre_doubly(c);
    const Spectrum axes = leading(c * c.transpose(), dim);
    Doubles coordinates = c.transpose() * axes.vectors;  // of length sigma each
    const double whole = std::sqrt(static_cast<double>(source.size()) / count);
    for (Index axis = 0; axis < dim; ++axis) {
        const double sigma = std::sqrt(axes.values(axis));
        if (sigma > 0) coordinates.col(axis) *= std::sqrt(sigma * whole) / sigma;
    }
    return map_of(coordinates);
}

}  // namespace dunlin::mds
