// SPDX-License-Identifier: Apache-2.0
#include "kmedoids/start.hpp"

#include <algorithm>
#include <limits>

#include "kmeans/d2_sampling.hpp"
#include "math/at.hpp"
#include "mds/on_demand/landmark_rows.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::kmedoids {

namespace {

/// Chosen items and the dissimilarity of every item to the nearest of them.
class Chosen {
public:
    Chosen(device::Cpu& cpu, const SampleRows& rows)
        : cpu_(cpu), rows_(rows), nearest_(at(rows.size()), std::numeric_limits<float>::max()) {}

    void add(Index item) {
        items.push_back(item);
        const float* const row = rows_.row(item);
        for (std::size_t o = 0; o < nearest_.size(); ++o) nearest_[o] = std::min(nearest_[o], row[o]);
    }

    [[nodiscard]] bool has(Index item) const { return std::find(items.begin(), items.end(), item) != items.end(); }

    /// The item, not chosen so far, that lowers the sum of these dissimilarities most; the first of equal ones.
    Index best() {
        std::vector<double> sums(nearest_.size());
        cpu_.each(rows_.size(), [&](Offset item) { sums[at(item)] = sum_with(static_cast<Index>(item)); }, 16);
        Index best = -1;
        for (Index item = 0; item < rows_.size(); ++item) {
            if (!has(item) && (best < 0 || sums[at(item)] < sums[at(best)])) best = item;
        }
        return best;
    }

    /// The best of some items drawn with probability proportional to these dissimilarities; if all are 0, the first
    /// item that is not chosen.
    Index drawn(std::uint64_t seed, Index cluster, int draws) {
        double total = 0;
        for (const float d : nearest_) total += static_cast<double>(d);
        Index best = -1;
        double least = 0;
        for (int draw = 0; draw < draws && total > 0; ++draw) {
            const Index item = item_at(kmeans::draw_number(seed, cluster, draw) * total);
            if (has(item)) continue;
            const double sum = sum_with(item);
            if (best < 0 || sum < least) best = item, least = sum;
        }
        for (Index item = 0; best < 0; ++item) {
            if (!has(item)) best = item;
        }
        return best;
    }

    std::vector<Index> items;

private:
    [[nodiscard]] double sum_with(Index item) const {
        const float* const row = rows_.row(item);
        double sum = 0;
        for (std::size_t o = 0; o < nearest_.size(); ++o) sum += static_cast<double>(std::min(nearest_[o], row[o]));
        return sum;
    }

    /// The first item whose running sum exceeds `target`; the last one with a positive dissimilarity if none does.
    [[nodiscard]] Index item_at(double target) const {
        double sum = 0;
        Index last = 0;
        for (std::size_t o = 0; o < nearest_.size(); ++o) {
            if (!(nearest_[o] > 0)) continue;
            last = static_cast<Index>(o);
            sum += static_cast<double>(nearest_[o]);
            if (sum > target) break;
        }
        return last;
    }

    device::Cpu& cpu_;
    const SampleRows& rows_;
    std::vector<float> nearest_;
};

}  // namespace

std::vector<Index> start_medoids(device::Cpu& cpu, const SampleRows& rows, Index clusters, Start start,
                                 std::uint64_t seed, const Run& run) {
    if (start == Start::random) return mds::random_items(rows.size(), clusters, seed);
    progress::ProgressReporter reporter(run, "start", clusters);
    Chosen chosen(cpu, rows);
    if (start == Start::plusplus) chosen.add(mds::random_items(rows.size(), 1, seed).front());
    while (std::ssize(chosen.items) < clusters) {
        progress::cancellation_point();
        const auto k = static_cast<Index>(chosen.items.size());
        chosen.add(start == Start::build ? chosen.best() : chosen.drawn(seed, k, kmeans::draws_of(clusters)));
        reporter.tick(k + 1);
    }
    return chosen.items;
}

}  // namespace dunlin::kmedoids
