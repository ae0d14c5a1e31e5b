#include "mds/disparities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/at.hpp"
#include "math/vec.hpp"
#include "mds/distance.hpp"

namespace dunlin::mds {

namespace {

double weight_at(std::span<const double> weights, std::size_t k) { return weights.empty() ? 1.0 : weights[k]; }

/// Of (i, j), where (j, i) is.
Offset mirrored(Offset place, Index n) { return place % n * n + place / n; }

/// All dissimilarities, n x n.
std::vector<float> matrix_of(device::Cpu& cpu, const Source& source) {
    const Index n = source.size();
    std::vector<Index> rows(at(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<float> matrix(at(Offset{n} * n));
    std::vector<Index> filled(rows.size(), 0);
    meet_all(cpu, source, std::vector<float>(rows.size(), 0.0F).data(), 1, nullptr, rows,
             [&](std::size_t row, const Meeting& meeting) {
                 std::copy_n(meeting.delta, meeting.count, matrix.data() + static_cast<Offset>(row) * n + filled[row]);
                 filled[row] += meeting.count;
             });
    return matrix;
}

}  // namespace

void make_monotone(std::span<double> values, std::span<const double> weights) {
    struct Pool {
        double sum, weight;
        std::size_t end;
        [[nodiscard]] double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double w = weight_at(weights, k);
        Pool pool{w * values[k], w, k + 1};
        for (; !pools.empty() && pools.back().mean() >= pool.mean(); pools.pop_back()) {
            pool.sum += pools.back().sum;
            pool.weight += pools.back().weight;
        }
        pools.push_back(pool);
    }
    std::size_t begin = 0;
    for (const Pool& pool : pools) {
        for (; begin < pool.end; ++begin) values[begin] = pool.mean();
    }
}

void make_line(std::span<double> values, std::span<const double> x, std::span<const double> weights,
               bool through_origin) {
    double w = 0, wx = 0, wxx = 0, wv = 0, wxv = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double here = weight_at(weights, k);
        w += here;
        wx += here * x[k];
        wxx += here * x[k] * x[k];
        wv += here * values[k];
        wxv += here * x[k] * values[k];
    }
    const double spread = w * wxx - wx * wx;
    double slope = spread > 0 ? (w * wxv - wx * wv) / spread : 0;
    double height = w > 0 ? (wv - slope * wx) / w : 0;
    if (through_origin || height < 0) {
        height = 0;
        slope = wxx > 0 ? wxv / wxx : 0;
    } else if (slope < 0) {
        slope = 0;
        height = wv / w;
    }
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = height + slope * x[k];
}

Disparities::Disparities(device::Cpu& cpu, const Source& source, const float* weights, Transform transform)
    : n_(source.size()), transform_(transform), matrix_(matrix_of(cpu, source)) {
    order_pairs(weights);
    if (transform_ == Transform::ordinal) rank();
    fitted_.resize(pairs_.size());
}

void Disparities::order_pairs(const float* weights) {
    for (Offset i = 0; i < n_; ++i) {
        for (Offset place = i * n_; place < i * n_ + i; ++place) {
            float& delta = matrix_[at(place)];
            if (weights != nullptr && !(weights[place] > 0)) {
                delta = matrix_[at(mirrored(place, n_))] = std::numeric_limits<float>::quiet_NaN();
            }
            if (delta >= 0) pairs_.push_back(place);
        }
    }
    const auto delta = [&](Offset place) { return matrix_[at(place)]; };
    std::sort(pairs_.begin(), pairs_.end(),
              [&](Offset a, Offset b) { return delta(a) < delta(b) || (delta(a) == delta(b) && a < b); });
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        if (k == 0 || delta(pairs_[k]) != delta(pairs_[k - 1])) ties_.push_back(static_cast<Offset>(k));
        given_.push_back(static_cast<double>(delta(pairs_[k])));
        if (weights != nullptr) weight_.push_back(static_cast<double>(weights[pairs_[k]]));
    }
    ties_.push_back(std::ssize(pairs_));
    total_weight_ =
        weights == nullptr ? static_cast<double>(pairs_.size()) : std::accumulate(weight_.begin(), weight_.end(), 0.0);
}

void Disparities::rank() {
    const auto all = static_cast<double>(pairs_.size());
    for (std::size_t tie = 0; tie + 1 < ties_.size(); ++tie) {
        const auto mean = static_cast<float>(static_cast<double>(ties_[tie] + ties_[tie + 1] + 1) / 2 / all);
        for (Offset k = ties_[tie]; k < ties_[tie + 1]; ++k) {
            const Offset place = pairs_[at(k)];
            matrix_[at(place)] = matrix_[at(mirrored(place, n_))] = mean;
        }
    }
}

/// Among equals, nearer pairs come first.
void Disparities::sort_ties() {
    const bool weighted = !weight_.empty();
    struct Pair {
        double d, weight;
        Offset place;
    };
    for (std::size_t tie = 0; tie + 1 < ties_.size(); ++tie) {
        if (ties_[tie + 1] - ties_[tie] == 1) continue;
        std::vector<Pair> equals;
        for (Offset k = ties_[tie]; k < ties_[tie + 1]; ++k)
            equals.push_back({fitted_[at(k)], weighted ? weight_[at(k)] : 1.0, pairs_[at(k)]});
        std::sort(equals.begin(), equals.end(),
                  [](const Pair& a, const Pair& b) { return a.d < b.d || (a.d == b.d && a.place < b.place); });
        Offset k = ties_[tie];
        for (const Pair& pair : equals) {
            fitted_[at(k)] = pair.d;
            pairs_[at(k)] = pair.place;
            if (weighted) weight_[at(k)] = pair.weight;
            ++k;
        }
    }
}

double Disparities::fit(device::Cpu& cpu, const float* y, int dim) {
    const auto measure = [&](Offset k) {
        return distance<double>(y + pairs_[at(k)] / n_ * dim, y + pairs_[at(k)] % n_ * dim, dim);
    };
    cpu.each(std::ssize(pairs_), [&](Offset k) { fitted_[at(k)] = measure(k); });
    if (transform_ == Transform::ordinal) {
        sort_ties();
        make_monotone(fitted_, weight_);
    } else {
        make_line(fitted_, given_, weight_, transform_ == Transform::ratio);
    }
    device::Cell<math::Vec<double, 3>> sums;
    cpu.sum(
        std::ssize(pairs_),
        [&](Offset k) {
            const double d = measure(k), w = weight_at(weight_, at(k)), fitted = fitted_[at(k)];
            return math::Vec<double, 3>{{w * (d - fitted) * (d - fitted), w * d * d, w * fitted * fitted}};
        },
        sums);
    const auto [error, squares, fitted_squares] = sums.value.at;
    if (!(fitted_squares > 0)) return 0;
    const double scale = std::sqrt(total_weight_ / fitted_squares);
    cpu.each(std::ssize(pairs_), [&](Offset k) {
        const Offset place = pairs_[at(k)];
        matrix_[at(place)] = matrix_[at(mirrored(place, n_))] = static_cast<float>(scale * fitted_[at(k)]);
    });
    return std::sqrt(error / squares);
}

void pull_all(device::Cpu& cpu, const Transformed& items, Shape<device::Cpu>& shape) {
    items.disparities->fit(cpu, shape.y.data(), shape.dim);
    const float* matrix = items.disparities->matrix().data();
    const Axes axes(shape.y.data(), shape.n, shape.dim);
    const std::vector<const float*> others = axes.from(0);
    cpu.each(
        shape.n,
        [&](Offset i) {
            std::vector<double> force(at(shape.dim), 0.0);
            const float* weights = items.weights == nullptr ? nullptr : items.weights + i * shape.n;
            shape.error[at(i)] =
                pull({matrix + i * shape.n, weights, others.data(), shape.y.data() + i * shape.dim, shape.dim, shape.n},
                     force.data());
            std::transform(force.begin(), force.end(), shape.force.begin() + i * shape.dim,
                           [](double f) { return static_cast<float>(f); });
        },
        16);
    cpu.sum(shape.n, [&](Offset i) { return shape.error[at(i)] / 2; }, shape.stress);
}

}  // namespace dunlin::mds
