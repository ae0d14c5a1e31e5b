// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <dunlin/components.hpp>
#include <dunlin/types.hpp>

#include "initialization/dense.hpp"
#include "math/at.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"
#include "math/vec.hpp"
#include "progress/cancel.hpp"

/// Leading eigenvectors of a graph's normalized adjacency N = D^-1/2 W D^-1/2, whose eigenvalues lie in [-1, 1]: 1 less
/// those of the normalized Laplacian. Subspace iteration filtered by Chebyshev polynomials (Zhou, Saad, Tiago and
/// Chelikowsky 2006), from the coarsest graph of a hierarchy to the finest. One text for both devices.
namespace dunlin::initialization {

constexpr int most_columns = 6;  ///< of a block of vectors for a map of up to 3 dimensions
constexpr int most_columns_wide = 67;
constexpr Index most_dense = 400;  ///< vertices up to which the matrix is decomposed
constexpr int filter_degree = 12;
constexpr int most_rounds = 16;  ///< filters on one level

/// A block is n x columns, row by row.
struct BlockSize {
    Index n = 0;
    int columns = 0;
    [[nodiscard]] DUNLIN_HD Offset size() const { return Offset{n} * columns; }
};

/// 1 / sqrt(degree); 0 without weights.
struct InverseRoot {
    const Offset* offsets;
    const float* weights;
    float* inverse;
    DUNLIN_HD void operator()(Offset i) const {
        double degree = 0;
        for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) degree += static_cast<double>(weights[e]);
        inverse[i] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0F;
    }
};

/// out = alpha (N x - center x) - beta before, for each row. Most: of columns.
template <int Most>
struct Product {
    const Offset* offsets;
    const Index* targets;
    const float* weights;
    const float* inverse;
    int columns;
    float alpha, center, beta;
    const float *x, *before;
    float* out;
    DUNLIN_HD void operator()(Offset i) const {
        float sum[Most] = {};
        for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) {
            const Offset row = Offset{targets[e]} * columns;
            const float weight = weights[e] * inverse[targets[e]];
            for (int c = 0; c < columns; ++c) sum[c] += weight * x[row + c];
        }
        for (int c = 0; c < columns; ++c) {
            const Offset at = i * columns + c;
            const float value = alpha * (inverse[i] * sum[c] - center * x[at]);
            out[at] = beta == 0 ? value : value - beta * before[at];
        }
    }
};

/// Up to four inner products of columns.
struct InnerProducts {
    const float *x, *y;
    int columns, count;
    int left[4], right[4];
    DUNLIN_HD math::Vec<double, 4> operator()(Offset i) const {
        math::Vec<double, 4> products;
        for (int p = 0; p < count; ++p)
            products.at[p] =
                static_cast<double>(x[i * columns + left[p]]) * static_cast<double>(y[i * columns + right[p]]);
        return products;
    }
};

/// The trivial eigenvector is root(degree) / length: inner products of it with the columns.
struct TrivialProducts {
    const float *inverse, *x;
    int columns, first, count;
    DUNLIN_HD math::Vec<double, 4> operator()(Offset i) const {
        math::Vec<double, 4> products;
        if (inverse[i] == 0) return products;
        const double root = 1 / static_cast<double>(inverse[i]);
        for (int p = 0; p < count; ++p) products.at[p] = root * static_cast<double>(x[i * columns + first + p]);
        return products;
    }
};
struct Degree {
    const float* inverse;
    DUNLIN_HD double operator()(Offset i) const {
        return inverse[i] == 0 ? 0.0 : 1 / (static_cast<double>(inverse[i]) * static_cast<double>(inverse[i]));
    }
};

/// x -= root(degree) * share: removes the trivial eigenvector.
template <int Most>
struct RemoveTrivial {
    const float* inverse;
    float* x;
    int columns;
    double share[Most];
    DUNLIN_HD void operator()(Offset i) const {
        if (inverse[i] == 0) return;
        const double root = 1 / static_cast<double>(inverse[i]);
        for (int c = 0; c < columns; ++c)
            x[i * columns + c] = static_cast<float>(static_cast<double>(x[i * columns + c]) - root * share[c]);
    }
};

/// Rows times a columns x columns matrix.
template <int Most>
struct Rotate {
    float* x;
    int columns;
    double matrix[Most * Most];  ///< [from * columns + to]
    DUNLIN_HD void operator()(Offset i) const {
        double rotated[Most] = {};
        for (int from = 0; from < columns; ++from) {
            for (int to = 0; to < columns; ++to)
                rotated[to] += static_cast<double>(x[i * columns + from]) * matrix[from * columns + to];
        }
        for (int c = 0; c < columns; ++c) x[i * columns + c] = static_cast<float>(rotated[c]);
    }
};

/// Values of a coarser level's vectors, as functions on vertices, at the finer vertices.
struct Prolong {
    const Index* parent;
    const float *coarse, *coarse_inverse, *inverse;
    float* x;
    int columns;
    DUNLIN_HD void operator()(Offset i) const {
        const Index p = parent[i];
        for (int c = 0; c < columns; ++c)
            x[i * columns + c] =
                inverse[i] > 0 ? coarse[Offset{p} * columns + c] * coarse_inverse[p] / inverse[i] : 0.0F;
    }
};

/// The block's Ritz values, descending, and the largest residual among the first `wanted`, over 1 - value.
struct RitzValues {
    std::array<double, most_columns_wide> value{};
    double residual = 0;
};

/// Eigenvectors of a pencil: columns of `vectors` ([from * m + to]) rotate a block to Ritz vectors, values descending.
struct RitzBasis {
    std::vector<double> values, vectors;
};
/// `gram`: inner products of the columns with each other; `product`: with N times the columns; m x m each.
RitzBasis ritz_basis(const std::vector<double>& gram, const std::vector<double>& product, int m);

/// A block of vectors on one level.
template <class Exec, class G, int Most>
class SpectralLevel {
public:
    SpectralLevel(Exec& exec, const G& graph, int columns) : graph_(graph), size_{graph.size(), columns} {
        exec.resize(inverse_, at(size_.n));
        exec.each(size_.n, InverseRoot{graph.offsets.data(), graph.weights.data(), inverse_.data()});
        typename Exec::template Cell<double> degrees;
        exec.sum(size_.n, Degree{inverse_.data()}, degrees);
        degrees_ = exec.read(degrees);
        for (auto* block : {&x_, &y_, &z_}) exec.resize(*block, at(size_.size()));
    }

    [[nodiscard]] auto& vectors() { return x_; }
    [[nodiscard]] const auto& inverse() const { return inverse_; }

    void begin_at(Exec& exec, const std::vector<float>& block) { exec.upload(x_, std::span<const float>(block)); }
    void begin_at(Exec& exec, SpectralLevel& coarse, const Index* parent) {
        exec.each(size_.n,
                  Prolong{parent, coarse.x_.data(), coarse.inverse_.data(), inverse_.data(), x_.data(), size_.columns});
    }

    /// Filters until the first `wanted` vectors are eigenvectors: a residual of at most a tenth of their eigenvalue of
    /// the Laplacian, or of 1e-4.
    void refine(Exec& exec, int wanted) {
        remove_trivial(exec);
        RitzValues ritz = rotate(exec, wanted);
        for (int round = 0; round < most_rounds && ritz.residual > 1; ++round) {
            progress::cancellation_point();
            filter(exec, std::clamp(ritz.value[at(size_.columns - 1)], -0.5, 1 - 1e-6));
            remove_trivial(exec);
            ritz = rotate(exec, wanted);
        }
    }

private:
    void multiply(Exec& exec, double alpha, double center, double beta, const float* x, const float* before,
                  float* out) {
        exec.each(size_.n, Product<Most>{graph_.offsets.data(), graph_.targets.data(), graph_.weights.data(),
                                         inverse_.data(), size_.columns, static_cast<float>(alpha),
                                         static_cast<float>(center), static_cast<float>(beta), x, before, out});
    }

    /// x = T(N) x, T the Chebyshev polynomial of filter_degree that is at most 1 on [-1, cut], scaled to 1 at 1.
    void filter(Exec& exec, double cut) {
        const double half = (cut + 1) / 2, center = (cut - 1) / 2, first = half / (1 - center);
        double sigma = first;
        multiply(exec, sigma / half, center, 0, x_.data(), nullptr, y_.data());
        for (int degree = 2; degree <= filter_degree; ++degree) {
            const double next = 1 / (2 / first - sigma);
            multiply(exec, 2 * next / half, center, sigma * next, y_.data(), x_.data(), z_.data());
            x_.swap(y_);
            y_.swap(z_);
            sigma = next;
        }
        x_.swap(y_);
    }

    void remove_trivial(Exec& exec) {
        if (!(degrees_ > 0)) return;
        RemoveTrivial<Most> remove{inverse_.data(), x_.data(), size_.columns, {}};
        typename Exec::template Cell<math::Vec<double, 4>> sums;
        for (int first = 0; first < size_.columns; first += 4) {
            const int count = std::min(4, size_.columns - first);
            exec.sum(size_.n, TrivialProducts{inverse_.data(), x_.data(), size_.columns, first, count}, sums);
            const math::Vec<double, 4> found = exec.read(sums);
            for (int p = 0; p < count; ++p) remove.share[first + p] = found.at[p] / degrees_;
        }
        exec.each(size_.n, remove);
    }

    /// Gram matrix of the columns of x and y, symmetrized.
    std::vector<double> gram(Exec& exec, const float* x, const float* y) {
        const int m = size_.columns;
        std::vector<std::pair<int, int>> pairs;
        for (int a = 0; a < m; ++a) {
            for (int b = a; b < m; ++b) pairs.emplace_back(a, b);
        }
        std::vector<double> matrix(at(Offset{m} * m));
        typename Exec::template Cell<math::Vec<double, 4>> sums;
        for (std::size_t first = 0; first < pairs.size(); first += 4) {
            InnerProducts products{x, y, m, static_cast<int>(std::min<std::size_t>(4, pairs.size() - first)), {}, {}};
            for (int p = 0; p < products.count; ++p) {
                products.left[p] = pairs[first + at(p)].first;
                products.right[p] = pairs[first + at(p)].second;
            }
            exec.sum(size_.n, products, sums);
            const math::Vec<double, 4> found = exec.read(sums);
            for (int p = 0; p < products.count; ++p) {
                const auto [a, b] = pairs[first + at(p)];
                matrix[at(a * m + b)] = matrix[at(b * m + a)] = found.at[p];
            }
        }
        return matrix;
    }

    /// Rayleigh and Ritz: the block becomes orthonormal approximations of eigenvectors.
    RitzValues rotate(Exec& exec, int wanted) {
        const int m = size_.columns;
        multiply(exec, 1, 0, 0, x_.data(), nullptr, y_.data());
        const RitzBasis basis = ritz_basis(gram(exec, x_.data(), x_.data()), gram(exec, x_.data(), y_.data()), m);
        Rotate<Most> rotation{x_.data(), m, {}};
        std::copy(basis.vectors.begin(), basis.vectors.end(), rotation.matrix);
        exec.each(size_.n, rotation);
        rotation.x = y_.data();
        exec.each(size_.n, rotation);

        // |y - value x|^2 = y.y - value^2, since x is orthonormal and x.y = value
        RitzValues ritz;
        const std::vector<double> squares = gram(exec, y_.data(), y_.data());
        for (int c = 0; c < m; ++c) {
            const double value = basis.values[at(c)];
            ritz.value[at(c)] = value;
            const double residual = std::sqrt(std::max(0.0, squares[at(c * m + c)] - value * value));
            if (c < wanted) ritz.residual = std::max(ritz.residual, residual / (0.1 * (1 - value) + 1e-4));
        }
        return ritz;
    }

    const G& graph_;
    BlockSize size_;
    double degrees_ = 0;
    typename Exec::template Buffer<float> inverse_, x_, y_, z_;
};

/// Columns of the block for a map of `dim` axes: more than wanted, since the filter's cut is the last one's value.
constexpr int columns_for(int dim) { return dim + 3; }

/// The vectors of a graph small enough to be decomposed: n x columns, without the trivial one; random where there are
/// fewer.
std::vector<float> dense_vectors(const Graph& graph, int columns, std::uint64_t seed);

/// eigenmap() with blocks of up to `Most` columns.
template <int Most, class Exec, class Level, class Download>
std::vector<float> eigenmap_within(Exec& exec, const Level& finest, int dim, std::uint64_t seed,
                                   const Download& download) {
    const int columns = columns_for(dim);
    std::vector<decltype(coarsen(exec, finest, seed))> steps;
    const auto level = [&](std::size_t l) { return l == 0 ? finest : steps[l - 1].level(); };
    while (level(steps.size()).graph->size() > most_dense) {
        progress::cancellation_point();
        steps.push_back(coarsen(exec, level(steps.size()), seed + steps.size()));
    }
    using G = std::remove_cvref_t<decltype(*finest.graph)>;
    auto now = std::make_unique<SpectralLevel<Exec, G, Most>>(exec, *level(steps.size()).graph, columns);
    now->begin_at(exec, dense_vectors(download(*level(steps.size()).graph), columns, seed));
    for (std::size_t l = steps.size(); l-- > 0;) {
        auto finer = std::make_unique<SpectralLevel<Exec, G, Most>>(exec, *level(l).graph, columns);
        finer->begin_at(exec, *now, steps[l].parent.data());
        finer->refine(exec, dim);
        now = std::move(finer);
    }
    const std::vector<float> block(exec.host(now->vectors())), inverse(exec.host(now->inverse()));
    std::vector<float> map(at(Offset{finest.graph->size()} * dim));
    for (Offset i = 0; i < finest.graph->size(); ++i) {
        for (int c = 0; c < dim; ++c) map[at(i * dim + c)] = block[at(i * columns + c)] * inverse[at(i)];
    }
    return map;
}

/// The first `dim` vectors of a connected graph as functions on its vertices (divided by the root of the degree),
/// n x dim. download(graph): the graph in host memory.
template <class Exec, class Level, class Download>
std::vector<float> eigenmap(Exec& exec, const Level& finest, int dim, std::uint64_t seed, const Download& download) {
    return columns_for(dim) <= most_columns ? eigenmap_within<most_columns>(exec, finest, dim, seed, download)
                                            : eigenmap_within<most_columns_wide>(exec, finest, dim, seed, download);
}

/// spectral_start, given the eigenmap of a connected part: eigenmap_of(members) of the vertices of a component, in this
/// order; all vertices if there is one component.
using EigenmapOf = std::function<std::vector<float>(std::span<const Index>)>;
Map assembled(const graph::Components& components, Map start, double deviation, std::uint64_t seed,
              const EigenmapOf& eigenmap_of);

/// The part of a graph on one component's members, ascending.
Graph part_of(const Graph& graph, std::span<const Index> members, std::span<Index> number);

}  // namespace dunlin::initialization
