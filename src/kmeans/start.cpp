// SPDX-License-Identifier: Apache-2.0
#include "kmeans/start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "device/aligned.hpp"
#include "kmeans/d2_sampling.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/sparse_lloyd.hpp"
#include "kmeans/tile_distances.hpp"
#include "numerics/ordered.hpp"

namespace dunlin::kmeans {

namespace {

using RowNumber = std::uint64_t;

/// The sparse rows with their zeros.
std::vector<float> values_of(const SparseInput& rows, const std::vector<Offset>& chosen) {
    std::vector<float> values(chosen.size() * static_cast<std::size_t>(rows.cols()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const SparseRow row = rows.row(chosen[i]);
        float* out = values.data() + static_cast<Offset>(i) * rows.cols();
        for (std::size_t e = 0; e < row.columns.size(); ++e) out[row.columns[e]] = row.values[e];
    }
    return values;
}

/// Distances of dense rows to some of them.
class DenseDistances {
public:
    DenseDistances(device::Cpu& cpu, const Rows& rows) : cpu_(cpu), rows_(rows) {}

    [[nodiscard]] const Rows& shape() const { return rows_; }
    [[nodiscard]] Offset values() const { return rows_.points.size(); }

    /// Calls take(first, rows, distances to the chosen rows) for all tiles, as each_tile_of_distances.
    template <class Take>
    void each_tile(const std::vector<Offset>& chosen, const Take& take) const {
        const std::vector<float> centroids = values_of(rows_, chosen);
        each_tile_of_distances(cpu_, rows_, centroids.data(), static_cast<Index>(chosen.size()), take);
    }

private:
    device::Cpu& cpu_;
    const Rows& rows_;
};

/// Distances of sparse rows, with the interface of the class above.
class SparseDistances {
public:
    SparseDistances(device::Cpu& cpu, const SparseInput& rows) : cpu_(cpu), rows_(rows) {}

    [[nodiscard]] const Rows& shape() const { return rows_.shape(); }
    [[nodiscard]] Offset values() const { return values_of_sparse(rows_.nonzeros()); }

    template <class Take>
    void each_tile(const std::vector<Offset>& chosen, const Take& take) const {
        const std::vector<float> centroids = values_of(rows_, chosen);
        CentroidColumns columns;
        columns.set(centroids, rows_.cols());
        cpu_.blocks(rows_.count(), grain_of(rows_.cols()), [&](Offset begin, Offset end, int) {
            std::vector<double> of_row;
            std::vector<float> distances(chosen.size() * tile_rows);
            for (Offset first = begin; first < end; first += tile_rows) {
                const auto here = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
                for (Index r = 0; r < here; ++r) {
                    columns.find_distances(rows_.row(first + r), of_row);
                    for (std::size_t j = 0; j < chosen.size(); ++j)
                        distances[j * tile_rows + static_cast<std::size_t>(r)] = static_cast<float>(of_row[j]);
                }
                take(first, here, distances.data());
            }
        });
    }

private:
    device::Cpu& cpu_;
    const SparseInput& rows_;
};

/// The sampler of d2_sampling.hpp on a CPU.
template <class Distances>
class D2Sampler {
public:
    D2Sampler(device::Cpu& cpu, const Distances& distances)
        : cpu_(cpu),
          distances_(distances),
          rows_(distances.shape()),
          grain_(grain_of(rows_.cols())),
          nearest_(static_cast<std::size_t>(rows_.count())),
          parts_(static_cast<std::size_t>((rows_.count() + grain_ - 1) / grain_)) {}

    void begin(Offset row) {
        std::fill(nearest_.begin(), nearest_.end(), std::numeric_limits<float>::infinity());
        chosen_ = {row};
        kept_.clear();
    }

    void update(const std::vector<Offset>& rows) {
        distances_.each_tile(rows, [&](Offset first, Index here, const float* distances) {
            for (std::size_t j = 0; j < rows.size(); ++j)
                lower_nearest(distances + j * tile_rows, here, nearest_.data() + first);
        });
        add_up();
    }

    void add(Index k, std::uint64_t seed, int draws) {
        if (kept_.empty()) {
            update({chosen_.back()});
        } else {
            add_up(kept_.data() + last_ * nearest_.size());
        }
        std::vector<Offset> candidates;
        candidates.reserve(static_cast<std::size_t>(draws));
        for (int draw = 0; draw < draws; ++draw) candidates.push_back(row_at(draw_number(seed, k, draw)));
        const std::vector<Sum> sums = sums_with(candidates);
        last_ = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        chosen_.push_back(candidates[last_]);
    }

    std::vector<Offset> draw_many(double wanted, std::uint64_t seed, int round) {
        std::vector<Offset> drawn;
        for (Offset r = 0; r < rows_.count(); ++r) {
            if (is_drawn(wanted, integer_weight(r), sum_, seed, r, round)) drawn.push_back(r);
        }
        return drawn;
    }

    [[nodiscard]] const std::vector<Offset>& chosen() const { return chosen_; }

private:
    [[nodiscard]] double d2_weight(Offset row) const {
        return d2_weight_of(rows_.weight(row), nearest_[static_cast<std::size_t>(row)]);
    }
    [[nodiscard]] Sum integer_weight(Offset row) const { return to_integer(d2_weight(row), scale_); }

    /// Sums all D^2 weights as integers, scaled by the largest, after a centroid at these squared distances (null:
    /// none) has been added.
    void add_up(const float* distances = nullptr) {
        std::vector<double> most(parts_.size());
        each_block([&](std::size_t block, Offset begin, Offset end) {
            if (distances != nullptr) lower_nearest(distances + begin, end - begin, nearest_.data() + begin);
            Sum none = 0;
            add_d2_weights(nearest_.data() + begin, nullptr, rows_.weights_from(begin), end - begin, 0, &none,
                           &most[block]);
        });
        scale_ = integer_scale(*std::max_element(most.begin(), most.end()), rows_.count());
        each_block([&](std::size_t block, Offset begin, Offset end) {
            parts_[block] = 0;
            add_d2_weights(nearest_.data() + begin, nullptr, rows_.weights_from(begin), end - begin, scale_,
                           &parts_[block], &most[block]);
        });
        sum_ = 0;
        for (const Sum part : parts_) sum_ += part;
    }

    /// Calls step(block, begin, end) for all blocks of rows.
    template <class Step>
    void each_block(const Step& step) {
        cpu_.blocks(rows_.count(), grain_,
                    [&](Offset begin, Offset end, int) { step(static_cast<std::size_t>(begin / grain_), begin, end); });
    }

    /// For each of these rows, the sum of D^2 weights if it were added as a centroid. Keeps the distances, so that the
    /// rows are read once for each centroid, where they take at most half the memory of the rows.
    std::vector<Sum> sums_with(const std::vector<Offset>& candidates) {
        const std::size_t count = candidates.size(), rows = nearest_.size();
        std::vector<Sum> parts(parts_.size() * count), sums(count);
        if (keeps_distances(rows_.count(), distances_.values(), static_cast<int>(count))) kept_.resize(rows * count);
        distances_.each_tile(candidates, [&](Offset first, Index here, const float* distances) {
            double most = 0;
            for (std::size_t j = 0; j < count; ++j, distances += tile_rows) {
                add_d2_weights(nearest_.data() + first, distances, rows_.weights_from(first), here, scale_,
                               &parts[static_cast<std::size_t>(first / grain_) * count + j], &most);
                if (!kept_.empty())
                    std::copy_n(distances, here, kept_.data() + j * rows + static_cast<std::size_t>(first));
            }
        });
        for (std::size_t p = 0; p < parts.size(); ++p) sums[p % count] += parts[p];
        return sums;
    }

    /// The row at which the running sum of D^2 weights exceeds u times the whole.
    [[nodiscard]] Offset row_at(double u) const {
        if (sum_ == 0) return any_row(u, rows_.count());
        Sum target = target_of(u, sum_);
        std::size_t block = 0;
        while (target >= parts_[block]) target -= parts_[block++];
        Offset row = static_cast<Offset>(block) * grain_;
        while (target >= integer_weight(row)) target -= integer_weight(row++);
        return row;
    }

    device::Cpu& cpu_;
    const Distances& distances_;
    const Rows& rows_;
    Offset grain_;
    std::vector<float> nearest_;  ///< squared distances
    std::vector<Sum> parts_;      ///< sums of D^2 weights by block
    Sum sum_ = 0;
    double scale_ = 1;         ///< of integer D^2 weights
    std::vector<float> kept_;  ///< squared distances to the candidates of the last step, or empty
    std::size_t last_ = 0;     ///< the candidate that became a centroid
    std::vector<Offset> chosen_;
};

/// The nearest centroid of every row.
std::vector<Index> labels_of(device::Cpu& cpu, const SparseInput& rows, const std::vector<float>& centroids) {
    CentroidColumns columns;
    columns.set(centroids, rows.cols());
    std::vector<Index> labels(static_cast<std::size_t>(rows.count()));
    cpu.blocks(rows.count(), grain_of(rows.cols()), [&](Offset begin, Offset end, int) {
        CentroidColumns::Scratch scratch;
        for (Offset r = begin; r < end; ++r)
            labels[static_cast<std::size_t>(r)] = columns.nearest(rows.row(r), scratch);
    });
    return labels;
}

/// Sum of the weights of the rows nearest to each of `count` centroids.
std::vector<float> candidate_weights(device::Cpu& cpu, const Rows& rows, const std::vector<Index>& labels,
                                     Index count) {
    const double scale = weight_scale(cpu, rows);
    return weights_of(integer_weights(rows, labels, count, scale), scale);
}

/// Input: Rows or SparseInput, and its Distances.
template <class Distances, class Input>
std::vector<float> start_by_draws(device::Cpu& cpu, const Input& input, Index clusters, std::uint64_t seed,
                                  const Run& run) {
    const Distances distances(cpu, input);
    const Rows& rows = distances.shape();
    D2Sampler sampler(cpu, distances);
    const std::vector<Offset> chosen = plus_plus(sampler, draw_by_weight(cpu, rows, seed), clusters, seed, run);
    return values_of(input, chosen);
}

template <class Distances, class Input>
std::vector<float> start_by_rounds(device::Cpu& cpu, const Input& input, Index clusters, std::uint64_t seed,
                                   const Run& run) {
    const Distances distances(cpu, input);
    const Rows& rows = distances.shape();
    const std::vector<Offset> chosen = [&] {
        D2Sampler sampler(cpu, distances);
        return parallel_candidates(sampler, draw_by_weight(cpu, rows, seed), clusters, seed);
    }();
    const auto count = static_cast<Index>(chosen.size());
    if (count < clusters) return start_by_draws<Distances>(cpu, input, clusters, seed, run);
    const std::vector<float> candidates = values_of(input, chosen);
    const std::vector<float> weights = candidate_weights(cpu, rows, labels_of(cpu, input, candidates), count);
    const Rows dense{{candidates.data(), count, rows.cols()}, weights};
    return start_by_draws<DenseDistances>(cpu, dense, clusters, math::random_bits(seed, 1), run);
}

template <class Distances, class Input>
std::vector<float> start_from(device::Cpu& cpu, const Input& input, Index clusters, Start start, std::uint64_t seed,
                              const Run& run) {
    switch (start) {
        case Start::random:
            return values_of(input, random_rows(input.count(), clusters, seed));
        case Start::parallel:
            return start_by_rounds<Distances>(cpu, input, clusters, seed, run);
        case Start::plusplus:
            break;
    }
    return start_by_draws<Distances>(cpu, input, clusters, seed, run);
}

/// Index in [begin, end) of the first value whose running sum exceeds the target, which is reduced by the values before
/// it. If rounding leaves none, the last value that is not 0.
template <class Value>
Offset draw_position(double& target, Offset begin, Offset end, const Value& value) {
    Offset last = begin;
    for (Offset i = begin; i < end; ++i) {
        const double here = value(i);
        if (here > 0) last = i;
        if (target < here) return i;
        target -= here;
    }
    target = std::numeric_limits<double>::infinity();  // the next level then takes its last value too
    return last;
}

}  // namespace

std::vector<Index> labels_of(device::Cpu& cpu, const Rows& rows, const std::vector<float>& centroids) {
    const Index cols = rows.cols(), count = static_cast<Index>(centroids.size() / static_cast<std::size_t>(cols));
    std::vector<Index> labels(static_cast<std::size_t>(rows.count()));
    cpu.blocks(rows.count(), grain_of(cols), [&](Offset begin, Offset end, int) {
        device::AlignedBuffer<float> columns(static_cast<std::size_t>(cols) * tile_rows);
        std::vector<float> scratch;
        Index label[tile_rows];
        const float* x = rows.at(begin, end, scratch);
        for (Offset first = begin; first < end; first += tile_rows, x += Offset{tile_rows} * cols) {
            const auto here = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
            nearest_of_tile(x, here, cols, centroids.data(), count, columns.data(), label);
            std::copy_n(label, here, labels.begin() + first);
        }
    });
    return labels;
}

std::vector<Sum> integer_weights(const Rows& rows, const std::vector<Index>& labels, Index count, double scale) {
    std::vector<Sum> sums(static_cast<std::size_t>(count));
    for (Offset r = 0; r < rows.count(); ++r) {
        sums[static_cast<std::size_t>(labels[static_cast<std::size_t>(r)])] += to_integer(rows.weight(r), scale);
    }
    return sums;
}

std::vector<float> weights_of(const std::vector<Sum>& sums, double scale) {
    std::vector<float> weights;
    weights.reserve(sums.size());
    for (const Sum sum : sums) weights.push_back(static_cast<float>(static_cast<double>(sum) / scale));
    return weights;
}

Offset draw_by_weight(device::Cpu& cpu, const Rows& rows, std::uint64_t seed) {
    const auto weight = [&](Offset row) { return rows.weight(row); };
    const auto in_block = [&](Offset begin, Offset end) {
        return std::vector<float>(rows.weights.begin() + begin, rows.weights.begin() + end);
    };
    std::vector<double> blocks;
    if (!rows.weights.empty()) blocks = numerics::block_sums<double>(cpu, rows.count(), weight);
    return draw_by_blocks(rows.count(), blocks, in_block, seed);
}

Offset draw_by_blocks(Offset rows, const std::vector<double>& blocks,
                      const std::function<std::vector<float>(Offset, Offset)>& in_block, std::uint64_t seed) {
    if (blocks.empty()) return static_cast<Offset>(math::random_below(static_cast<RowNumber>(rows), seed, 0));
    const auto of_block = [&](Offset b) { return blocks[static_cast<std::size_t>(b)]; };
    const auto count = static_cast<Offset>(blocks.size());
    const auto end_of = [](Offset group, Offset size, Offset all) { return std::min((group + 1) * size, all); };
    const auto of_group = [&](Offset g) {
        return math::tree_sum<double>(g * math::fan_in, end_of(g, math::fan_in, count), of_block);
    };
    double target = math::tree_sum<double>(0, count, of_block) * math::random_uniform(seed, 0);
    const Offset group = draw_position(target, 0, (count + math::fan_in - 1) / math::fan_in, of_group);
    const Offset block = draw_position(target, group * math::fan_in, end_of(group, math::fan_in, count), of_block);
    const Offset begin = block * math::sum_block, end = end_of(block, math::sum_block, rows);
    const std::vector<float> weights = in_block(begin, end);
    return draw_position(target, begin, end, [&](Offset row) {
        return static_cast<double>(weights[static_cast<std::size_t>(row - begin)]);
    });
}

std::vector<Offset> random_rows(Offset rows, Index count, std::uint64_t seed) {
    std::unordered_set<Offset> chosen;
    std::vector<Offset> all;
    for (Offset j = rows - count; j < rows; ++j) {
        const auto drawn =
            static_cast<Offset>(math::random_below(static_cast<RowNumber>(j + 1), seed, static_cast<RowNumber>(j)));
        all.push_back(chosen.insert(drawn).second ? drawn : j);
        chosen.insert(all.back());
    }
    return all;
}

std::vector<float> values_of(const Rows& rows, const std::vector<Offset>& chosen) {
    std::vector<float> values, scratch;
    for (const Offset row : chosen) {
        const float* x = rows.at(row, row + 1, scratch);
        values.insert(values.end(), x, x + rows.cols());
    }
    return values;
}

std::uint64_t bytes_of_start(Offset rows, Offset values, Index clusters, Start start) {
    if (start == Start::random) return 0;
    const int draws = draws_of(clusters);
    const bool keeps = clusters > 1 && keeps_distances(rows, values, draws);
    return 4 * static_cast<std::uint64_t>(rows) * (keeps ? 1 + static_cast<std::uint64_t>(draws) : 1);
}

std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run) {
    return start_from<DenseDistances>(cpu, rows, clusters, start, seed, run);
}

std::vector<float> start_centroids(device::Cpu& cpu, const SparseInput& rows, Index clusters, Start start,
                                   std::uint64_t seed, const Run& run) {
    return start_from<SparseDistances>(cpu, rows, clusters, start, seed, run);
}

}  // namespace dunlin::kmeans
