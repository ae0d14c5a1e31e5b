// SPDX-License-Identifier: Apache-2.0
#include "mixture/expectation.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "mixture/formulas.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mixture {

namespace {

/// Leaves that are summed at a time, a power of two: their sums take up to 256 MB.
Offset leaves_at_a_time(Index components, Index cols, Covariance covariance) {
    const std::uint64_t bytes = std::max<std::uint64_t>(1, bytes_of_expectation(components, cols, covariance));
    return static_cast<Offset>(std::bit_floor(std::clamp<std::uint64_t>(256'000'000 / bytes, 1, 256)));
}

/// Sums leaf(begin, end, sums) of the leaves in pairs, within nodes.
template <class Leaf>
std::vector<Expectation> sum_nodes(device::Cpu& cpu, Offset rows, Offset node, const Expectation& zero,
                                   Offset at_a_time, const Leaf& leaf) {
    std::vector<Expectation> nodes;
    const Offset batch_rows = std::min(at_a_time * leaf_rows, node);
    // Each leaf allocates its sums itself, on its thread: all of them at once would delay a stop
    std::vector<Expectation> batch(static_cast<std::size_t>((std::min(batch_rows, rows) + leaf_rows - 1) / leaf_rows));
    for (Offset first = 0; first < rows; first += node) {
        PairwiseSum sum;
        const Offset last = std::min(first + node, rows);
        for (Offset begin = first; begin < last; begin += batch_rows) {
            const Offset here = std::min(batch_rows, last - begin), leaves = (here + leaf_rows - 1) / leaf_rows;
            cpu.blocks(here, leaf_rows, [&](Offset from, Offset to, int) {
                Expectation& sums = batch[static_cast<std::size_t>(from / leaf_rows)];
                sums = zero;
                leaf(begin + from, begin + to, sums);
            });
            const auto each_pair = [&](const auto& add) {
                for (Offset stride = 1; stride < leaves; stride *= 2) {
                    for (Offset i = 0; i + stride < leaves; i += 2 * stride) {
                        add(batch[static_cast<std::size_t>(i)], batch[static_cast<std::size_t>(i + stride)]);
                    }
                }
            };
            cpu.blocks(static_cast<Offset>(zero.moments.size()), 1, [&](Offset k, Offset, int) {
                const auto component = static_cast<std::size_t>(k);
                each_pair(
                    [&](Expectation& a, const Expectation& b) { a.moments[component].add(b.moments[component]); });
            });
            each_pair([](Expectation& a, const Expectation& b) {
                a.log_likelihood += b.log_likelihood;
                a.pooled += b.pooled;
            });
            sum.add(batch.front());
        }
        nodes.push_back(sum.total());
    }
    return nodes;
}

/// Responsibilities of the components for one row. Exponential and logarithm are Eigen's polynomials: unlike those of
/// the C library they have the same bits on every processor of an architecture.
class Responsibilities {
public:
    /// white_means: of tied components, otherwise empty.
    Responsibilities(Index components, const Square& white_means)
        : padded_((components + 3) / 4 * 4), white_means_(white_means) {
        logs_ = Eigen::ArrayXd::Constant(padded_, -std::numeric_limits<double>::infinity());
        shares_ = Eigen::ArrayXd::Zero(padded_);
    }

    /// Sets the responsibilities for x; returns the likeliest component.
    Index find(const std::vector<Component>& components, const float* x) {
        const bool tied = white_means_.size() > 0;
        if (tied) {
            scratch = difference(x, components.front().mean);
            components.front().whiten(scratch);
        }
        for (std::size_t k = 0; k < components.size(); ++k) {
            progress::cancellation_point();
            const auto at = static_cast<Index>(k);
            logs_[at] = tied ? components[k].log_scale - 0.5 * (scratch - white_means_.col(at)).squaredNorm()
                             : components[k].log_density(x, scratch);
        }
        Index likeliest = 0;
        most_ = logs_.maxCoeff(&likeliest);
        const Eigen::ArrayXd below = logs_ - most_;
        shares_ = (below < least_exponent).select(0, below.max(least_exponent).exp());
        sum_ = shares_.sum();
        shares_ /= sum_;
        return likeliest;
    }
    [[nodiscard]] double log_likelihood() const {
        const Eigen::Array4d sum = Eigen::Array4d::Constant(sum_);
        return most_ + sum.log()[0];
    }
    [[nodiscard]] double of(std::size_t component) const { return shares_[static_cast<Index>(component)]; }

    void write(float* to, Index components) const {
        for (Index k = 0; k < components; ++k) to[k] = static_cast<float>(shares_[k]);
    }

    Vector scratch;

private:
    Index padded_;  ///< a whole number of SIMD registers, so that each value is computed in the same way
    const Square& white_means_;
    Eigen::ArrayXd logs_, shares_;
    double most_ = 0, sum_ = 0;
};

}  // namespace

Square white_means_of(const std::vector<Component>& components) {
    const Component& first = components.front();
    Square white(first.mean.size(), static_cast<Eigen::Index>(components.size()));
    for (std::size_t k = 0; k < components.size(); ++k) {
        white.col(static_cast<Eigen::Index>(k)) = components[k].mean - first.mean;
        first.whiten(white.col(static_cast<Eigen::Index>(k)));
    }
    return white;
}

Expectation::Expectation(Index components, Index cols, Covariance covariance, bool start)
    : moments(static_cast<std::size_t>(components), ComponentMoments(cols, covariance)) {
    if (start && covariance == Covariance::tied) pooled = Square::Zero(cols, cols);
}

void Expectation::add(const Expectation& other) {
    for (std::size_t k = 0; k < moments.size(); ++k) moments[k].add(other.moments[k]);
    log_likelihood += other.log_likelihood;
    pooled += other.pooled;
}

void PairwiseSum::add(Expectation node) {
    std::size_t level = 0;
    for (; level < levels_.size() && levels_[level]; ++level) {
        levels_[level]->add(node);
        node = std::move(*std::exchange(levels_[level], std::nullopt));
    }
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level] = std::move(node);
}

Expectation PairwiseSum::total() {
    std::optional<Expectation> sum;
    for (std::optional<Expectation>& level : levels_) {
        if (!level) continue;
        if (sum) level->add(*sum);
        sum = std::exchange(level, std::nullopt);
    }
    return std::move(*sum);
}

Offset node_rows(Offset chunk_rows) {
    const Offset leaves = chunk_rows / leaf_rows;
    return leaf_rows * (leaves & -leaves);
}

std::vector<Expectation> expect(device::Cpu& cpu, MatrixView<const float> rows,
                                const std::vector<Component>& components, const ExpectedOutputs& wanted, Offset node) {
    const auto count = static_cast<Index>(components.size());
    const Expectation zero = wanted.moments ? Expectation(count, rows.cols, wanted.covariance) : Expectation();
    const Square white_means = wanted.covariance == Covariance::tied ? white_means_of(components) : Square();
    return sum_nodes(cpu, rows.rows, node, zero, leaves_at_a_time(count, rows.cols, wanted.covariance),
                     [&](Offset begin, Offset end, Expectation& sums) {
                         Responsibilities found(count, white_means);
                         for (Offset row = begin; row < end; ++row) {
                             const float* x = rows.row(static_cast<Index>(row)).data();
                             const Index likeliest = found.find(components, x);
                             if (wanted.labels != nullptr) wanted.labels[row] = likeliest;
                             if (wanted.responsibilities != nullptr) {
                                 found.write(wanted.responsibilities + row * count, count);
                             }
                             sums.log_likelihood += found.log_likelihood();
                             for (std::size_t k = 0; k < sums.moments.size(); ++k) {
                                 if (found.of(k) <= 0) continue;
                                 sums.moments[k].add(found.of(k), x, components[k].mean, found.scratch);
                             }
                         }
                     });
}

std::vector<Expectation> expect_labels(device::Cpu& cpu, MatrixView<const float> rows,
                                       const std::vector<Component>& components, Covariance covariance,
                                       const std::vector<Index>& labels, Offset node) {
    const auto count = static_cast<Index>(components.size());
    return sum_nodes(cpu, rows.rows, node, Expectation(count, rows.cols, covariance, true),
                     leaves_at_a_time(count, rows.cols, covariance), [&](Offset begin, Offset end, Expectation& sums) {
                         Vector scratch;
                         for (Offset row = begin; row < end; ++row) {
                             progress::cancellation_point();
                             const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(row)]);
                             sums.moments[label].add(1, rows.row(static_cast<Index>(row)).data(),
                                                     components[label].mean, scratch);
                             if (sums.pooled.size() > 0)
                                 sums.pooled.selfadjointView<Eigen::Lower>().rankUpdate(scratch);
                         }
                     });
}

std::uint64_t bytes_of_expectation(Index components, Index cols, Covariance covariance) {
    const auto width = static_cast<std::uint64_t>(cols);
    const auto wide = static_cast<std::uint64_t>(cols_of_second(covariance, cols));
    const std::uint64_t pooled = covariance == Covariance::tied ? width * width : 0;
    return sizeof(double) * (static_cast<std::uint64_t>(components) * (width * (wide + 1) + 1) + pooled);
}

std::uint64_t bytes_of_step(Index components, Index cols, Covariance covariance, Offset rows) {
    const auto leaves = static_cast<std::uint64_t>((rows + leaf_rows - 1) / leaf_rows);
    const auto at_a_time = static_cast<std::uint64_t>(leaves_at_a_time(components, cols, covariance));
    const auto levels = static_cast<std::uint64_t>(std::bit_width(std::max<std::uint64_t>(leaves / at_a_time, 1)));
    return bytes_of_expectation(components, cols, covariance) * (std::min(at_a_time, leaves) + levels + 1);
}

}  // namespace dunlin::mixture
