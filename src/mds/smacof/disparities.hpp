// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "checkpoint/archive.hpp"
#include "math/hd.hpp"
#include "math/search.hpp"
#include "math/vec.hpp"
#include "mds/configuration.hpp"
#include "mds/input/distance.hpp"
#include "mds/smacof/fitted_line.hpp"
#include "mds/smacof/monotone.hpp"
#include "mds/smacof/pull.hpp"
#include "mds/smacof/stress1.hpp"

/// Disparities (Kruskal 1964; Borg and Groenen 2005, ch. 9): optimal transformations of dissimilarities that are known
/// up to a linear function (interval), the same with an intercept of at least 0 (interval_bounded), or by rank only
/// (ordinal). A template over the executor.
///
/// An executor provides matrix_of(), sort_pairs(), sort_ties(), make_monotone() and pull_in().
namespace dunlin::mds {

/// Two items, i > j.
struct ItemPair {
    Index i, j;
};

/// Pair k in the order of rows below the diagonal.
DUNLIN_HD inline ItemPair pair_at(Offset k) {
    auto i = static_cast<Offset>((1 + std::sqrt(1 + 8 * static_cast<double>(k))) / 2);
    if (i * (i - 1) / 2 > k) --i;  // the root was rounded up
    if (i * (i + 1) / 2 <= k) ++i;
    return {static_cast<Index>(i), static_cast<Index>(k - i * (i - 1) / 2)};
}

/// Weights of pairs.
struct PairWeights {
    const float* values;  ///< rows `stride` apart; null: all weights are 1
    Index stride;
    DUNLIN_HD double operator()(const ItemPair& pair) const {
        return values == nullptr ? 1.0 : static_cast<double>(values[Offset{pair.i} * stride + pair.j]);
    }
};

/// A symmetric matrix, rows `stride` apart.
struct SquareMatrix {
    float* values;
    Index stride;
    DUNLIN_HD float operator()(const ItemPair& pair) const { return values[Offset{pair.i} * stride + pair.j]; }
    DUNLIN_HD void put(const ItemPair& pair, float value) const {
        values[Offset{pair.i} * stride + pair.j] = values[Offset{pair.j} * stride + pair.i] = value;
    }
};

/// Lists all pairs with their dissimilarities; infinity for missing pairs and pairs of weight 0.
struct ListPairs {
    SquareMatrix matrix;
    PairWeights weights;
    ItemPair* pairs;
    float* delta;
    DUNLIN_HD void operator()(Offset k) const {
        const ItemPair pair = pairs[k] = pair_at(k);
        if (!(weights(pair) > 0)) matrix.put(pair, NAN);
        const float here = matrix(pair);
        delta[k] = here >= 0 ? here + 0.0F : INFINITY;  // not -0
    }
};

struct IsKnown {
    const float* delta;
    DUNLIN_HD double operator()(Offset k) const { return delta[k] < INFINITY ? 1 : 0; }
};

/// The dissimilarity of sorted pair k.
struct DeltaAt {
    const float* delta;
    Offset k;
    DUNLIN_HD double operator()(Offset) const { return static_cast<double>(delta[k]); }
};

struct WritePairWeights {
    PairWeights weights;
    const ItemPair* pairs;
    double* weight;
    DUNLIN_HD void operator()(Offset k) const { weight[k] = weights(pairs[k]); }
};

/// tie[k] = index of the first sorted pair with the dissimilarity of pair k.
struct FindTie {
    const float* delta;
    Offset count;
    std::uint32_t* tie;
    DUNLIN_HD void operator()(Offset k) const {
        tie[k] = static_cast<std::uint32_t>(math::first_at_least(delta, count, delta[k]));
    }
};

struct IsTied {
    const std::uint32_t* tie;
    DUNLIN_HD double operator()(Offset k) const { return tie[k] == k ? 0 : 1; }
};

/// Replaces dissimilarities by mid-ranks over the number of pairs.
struct WriteRank {
    const float* delta;
    Offset count;
    const std::uint32_t* tie;
    const ItemPair* pairs;
    SquareMatrix matrix;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset end = math::first_at_least(delta, count, nextafterf(delta[k], INFINITY));
        const double mean = static_cast<double>(Offset{tie[k]} + end + 1) / 2;
        matrix.put(pairs[k], static_cast<float>(mean / static_cast<double>(count)));
    }
};

/// Replaces dissimilarities by their place between the least and the largest one; by 1 if all are equal.
struct WriteShare {
    const float* delta;
    double least, largest;
    const ItemPair* pairs;
    SquareMatrix matrix;
    DUNLIN_HD void operator()(Offset k) const {
        const double above = static_cast<double>(delta[k]) - least;
        matrix.put(pairs[k], largest > least ? static_cast<float>(above / (largest - least)) : 1.0F);
    }
};

struct MeasurePairs {
    const ItemPair* pairs;
    const float* y;
    int dim;
    double* fitted;
    DUNLIN_HD double of(Offset k) const {
        return distance<double>(y + Offset{pairs[k].i} * dim, y + Offset{pairs[k].j} * dim, dim);
    }
    DUNLIN_HD void operator()(Offset k) const { fitted[k] = of(k); }
};

/// Sums of w (d - fit)^2, w d^2, w fit^2.
struct FitSums {
    MeasurePairs measure;
    const double* weight;
    DUNLIN_HD math::Vec<double, 3> operator()(Offset k) const {
        const double d = measure.of(k), w = weight_at(weight, k), fitted = measure.fitted[k];
        return {{w * (d - fitted) * (d - fitted), w * d * d, w * fitted * fitted}};
    }
};

/// Writes the fit, scaled to a mean square of 1; a fit of zero changes nothing.
struct WriteDisparity {
    const math::Vec<double, 3>* sums;
    double total_weight;
    const ItemPair* pairs;
    const double* fitted;
    SquareMatrix matrix;
    DUNLIN_HD void operator()(Offset k) const {
        const double squares = sums->at[2];
        if (squares > 0) matrix.put(pairs[k], static_cast<float>(std::sqrt(total_weight / squares) * fitted[k]));
    }
};

template <class Exec>
class Disparities {
public:
    /// Pairs of weight 0 are missing. Before the first fit the disparities are the dissimilarities; for ordinal their
    /// ranks, for interval their places between the least and the largest, which do not depend on unit and origin.
    template <class Source>
    Disparities(Exec& exec, const Source& source, const PairWeights& weights, Transform transform)
        : n_(source.size()), transform_(transform), weights_(weights), matrix_(matrix_of(exec, source, stride())) {
        const Offset all = Offset{n_} * (n_ - 1) / 2;
        exec.resize(pairs_, static_cast<std::size_t>(all));
        exec.resize(delta_, static_cast<std::size_t>(all));
        exec.each(all, ListPairs{square(), weights, pairs_.data(), delta_.data()});
        sort_pairs(exec, delta_, pairs_);
        typename Exec::template Cell<double> known;
        exec.sum(all, IsKnown{delta_.data()}, known);
        count_ = static_cast<Offset>(exec.read(known));
        exec.resize(fitted_, static_cast<std::size_t>(count_));
        write_weights(exec);
        const double least = read_delta(exec, 0);
        largest_ = read_delta(exec, count_ - 1);
        origin_ = transform_ == Transform::interval ? least : 0;
        typename Exec::template Cell<math::Vec<double, 3>> moments;
        exec.sum(count_, LineMoments{variable(), weight()}, moments);
        moments_ = exec.read(moments);
        if (transform_ == Transform::ordinal) write_ranks(exec);
        if (transform_ == Transform::interval)
            exec.each(count_, WriteShare{delta_.data(), least, largest_, pairs_.data(), square()});
    }

    /// Upper bound of the memory used, in bytes, on either device.
    [[nodiscard]] static constexpr std::uint64_t bytes_for(Index n) {
        return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * 32;
    }

    /// Fits the disparities to the distances at y (n x dim) by least squares, then scales them to a mean square of 1.
    /// Ties may be broken (Kruskal's primary approach). Does not wait for the device.
    void fit(Exec& exec, const float* y, int dim) {
        measure(exec, y, dim);
        if (transform_ == Transform::ordinal) {
            if (has_ties_) {
                sort_ties(exec, tie_, fitted_, pairs_);
                write_weights(exec);
                measure(exec, y, dim);
            }
            make_monotone(exec, WeightedValues{count_, fitted_.data(), weight()});
        } else {
            exec.sum(count_, LineProducts{variable(), weight(), fitted_.data()}, products_);
            exec.each(count_, WriteFittedLine{moments_, exec.address(products_), transform_ == Transform::ratio,
                                              variable(), fitted_.data()});
        }
        exec.sum(count_, FitSums{distances(y, dim), weight()}, sums_);
        exec.each(count_, WriteDisparity{exec.address(sums_), total_weight(), pairs_.data(), fitted_.data(), square()});
    }

    /// Stress-1 of the last fit, before scaling.
    double stress1(Exec& exec) const {
        const auto [error, squares, fitted] = exec.read(sums_).at;
        return stress1_of(error, squares, largest_);
    }

    /// n x n; NaN where a pair is missing.
    Matrix matrix(Exec& exec) {
        const auto& padded_rows = exec.host(matrix_);
        std::vector<float> rows;
        rows.reserve(static_cast<std::size_t>(Offset{n_} * n_));
        for (Offset i = 0; i < n_; ++i) {
            const auto row = padded_rows.begin() + i * stride();
            rows.insert(rows.end(), row, row + n_);
        }
        return {n_, n_, std::move(rows)};
    }

    /// What a fit depends on of earlier ones, for a checkpoint: the order of pairs that are tied in both their
    /// dissimilarities and the digits of their distances that a GPU sorts by. A CPU's order depends on the map alone.
    void history(Exec& exec, checkpoint::ArchiveWriter& archive) const {
        if constexpr (!std::is_same_v<Exec, device::Cpu>) {
            if (has_ties_) archive(exec.host(pairs_));
        }
    }
    void history(Exec& exec, checkpoint::ArchiveReader& archive) {
        if constexpr (!std::is_same_v<Exec, device::Cpu>) {
            if (!has_ties_) return;
            std::vector<ItemPair> pairs;
            archive(pairs);
            const auto is_pair = [&](const ItemPair& p) { return p.i >= 0 && p.i < n_ && p.j >= 0 && p.j < n_; };
            archive.require(pairs.size() == pairs_.size() && std::all_of(pairs.begin(), pairs.end(), is_pair),
                            "order of pairs");
            exec.upload(pairs_, std::span<const ItemPair>(pairs));
        }
    }

    [[nodiscard]] SquareMatrix square() { return {matrix_.data(), stride()}; }
    [[nodiscard]] double total_weight() const { return moments_.at[0]; }
    [[nodiscard]] const PairWeights& weights() const { return weights_; }

private:
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

    [[nodiscard]] Index stride() const { return padded(n_); }
    [[nodiscard]] const double* weight() const { return weights_.values == nullptr ? nullptr : weight_.data(); }

    [[nodiscard]] AboveOrigin variable() const { return {delta_.data(), origin_}; }

    /// The dissimilarity of sorted pair k; 0 if there is none.
    double read_delta(Exec& exec, Offset k) {
        typename Exec::template Cell<double> found;
        exec.sum(count_ > 0 ? 1 : 0, DeltaAt{delta_.data(), k}, found);
        return exec.read(found);
    }

    [[nodiscard]] MeasurePairs distances(const float* y, int dim) { return {pairs_.data(), y, dim, fitted_.data()}; }
    void measure(Exec& exec, const float* y, int dim) { exec.each(count_, distances(y, dim)); }

    /// Gathers the weights in the order of the pairs.
    void write_weights(Exec& exec) {
        if (weights_.values == nullptr) return;
        exec.resize(weight_, static_cast<std::size_t>(count_));
        exec.each(count_, WritePairWeights{weights_, pairs_.data(), weight_.data()});
    }

    void write_ranks(Exec& exec) {
        exec.resize(tie_, static_cast<std::size_t>(count_));
        exec.each(count_, FindTie{delta_.data(), count_, tie_.data()});
        exec.each(count_, WriteRank{delta_.data(), count_, tie_.data(), pairs_.data(), square()});
        typename Exec::template Cell<double> tied;
        exec.sum(count_, IsTied{tie_.data()}, tied);
        has_ties_ = exec.read(tied) > 0;
    }

    Index n_;
    Transform transform_;
    PairWeights weights_;
    Buffer<float> matrix_;
    Buffer<ItemPair> pairs_;  ///< sorted by dissimilarity, missing ones last
    Buffer<float> delta_;
    Buffer<double> weight_, fitted_;
    Buffer<std::uint32_t> tie_;
    Offset count_ = 0;  ///< pairs that are not missing
    bool has_ties_ = false;
    double origin_ = 0, largest_ = 0;  ///< of the variable of a line; the largest dissimilarity
    math::Vec<double, 3> moments_;
    typename Exec::template Cell<math::Vec<double, 2>> products_;
    typename Exec::template Cell<math::Vec<double, 3>> sums_;
};

/// Target of non-metric scaling: disparities, fitted in each iteration.
template <class Exec>
struct Transformed {
    Disparities<Exec>* disparities;
};

template <class Exec>
void pull_all(Exec& exec, const Transformed<Exec>& items, Configuration<Exec>& configuration) {
    items.disparities->fit(exec, configuration.y.data(), configuration.dim);
    pull_in(exec, items.disparities->square(), items.disparities->weights().values, configuration);
}

// CPU implementations:

/// All dissimilarities, n rows of `stride` values.
std::vector<float> matrix_of(device::Cpu& cpu, const Source& source, Index stride);
/// Sorts by delta; equal ones by row.
void sort_pairs(device::Cpu& cpu, std::vector<float>& delta, std::vector<ItemPair>& pairs);
/// Sorts the pairs of each tie by distance.
void sort_ties(device::Cpu& cpu, const std::vector<std::uint32_t>& tie, const std::vector<double>& distance,
               std::vector<ItemPair>& pairs);
/// In place.
void make_monotone(device::Cpu& cpu, const WeightedValues& all);
/// Computes force, error and stress of the configuration for these dissimilarities. weights: n x n or null.
void pull_in(device::Cpu& cpu, const SquareMatrix& matrix, const float* weights,
             Configuration<device::Cpu>& configuration);

/// Weights of the pairs on a CPU.
inline PairWeights pair_weights(const CpuItems& items) { return {items.weights, items.source->size()}; }

}  // namespace dunlin::mds
