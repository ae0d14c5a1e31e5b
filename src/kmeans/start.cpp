#include "kmeans/start.hpp"

#include <cmath>
#include <limits>
#include <unordered_set>

#include "device/aligned.hpp"
#include "device/ticker.hpp"
#include "kmeans/nearest.hpp"
#include "math/rng.hpp"

namespace dunlin::kmeans {

namespace {

using Row = std::uint64_t;

/// Every row's squared distance to the nearest of the centroids so far, and what they sum to with weights.
class Spread {
public:
    Spread(device::Cpu& cpu, const Rows& rows)
        : cpu_(cpu),
          rows_(rows),
          grain_(grain_of(rows.cols())),
          nearest_(static_cast<std::size_t>(rows.count()), std::numeric_limits<float>::infinity()),
          parts_(static_cast<std::size_t>((rows.count() + grain_ - 1) / grain_)) {}

    /// Rows may now be nearer: to one of these (count x cols).
    void meet(const std::vector<float>& centroids) {
        look(centroids, [&](Offset row, Index, float distance) {
            float& nearest = nearest_[static_cast<std::size_t>(row)];
            nearest = std::min(nearest, distance);
        });
        cpu_.blocks(rows_.count(), grain_, [&](Offset begin, Offset end, int) {
            double part = 0;
            for (Offset r = begin; r < end; ++r) part += share(r);
            parts_[static_cast<std::size_t>(begin / grain_)] = part;
        });
    }

    /// What the sum would be if one of these were added, for each of them.
    std::vector<double> sums_with(const std::vector<float>& centroids) {
        const std::size_t count = centroids.size() / static_cast<std::size_t>(rows_.cols());
        std::vector<double> parts(parts_.size() * count), sums(count);
        look(centroids, [&](Offset row, Index j, float distance) {
            const float nearest = std::min(nearest_[static_cast<std::size_t>(row)], distance);
            parts[static_cast<std::size_t>(row / grain_) * count + static_cast<std::size_t>(j)] +=
                rows_.weight(row) * static_cast<double>(nearest);
        });
        for (std::size_t p = 0; p < parts.size(); ++p) sums[p % count] += parts[p];
        return sums;
    }

    [[nodiscard]] double sum() const {
        double all = 0;
        for (const double part : parts_) all += part;
        return all;
    }

    /// A row's part of the sum.
    [[nodiscard]] double share(Offset row) const {
        return rows_.weight(row) * static_cast<double>(nearest_[static_cast<std::size_t>(row)]);
    }

    /// The row at which the running sum passes `target`.
    [[nodiscard]] Offset row_at(double target) const {
        std::size_t block = 0;
        while (block + 1 < parts_.size() && target >= parts_[block]) target -= parts_[block++];
        Offset last = static_cast<Offset>(block) * grain_;
        const Offset end = std::min<Offset>(rows_.count(), last + grain_);
        for (Offset r = last; r < end; ++r) {
            if (share(r) == 0) continue;
            last = r;
            target -= share(r);
            if (target < 0) break;
        }
        return last;
    }

private:
    /// take(row, j, squared distance to centroid j), a tile at a time.
    template <class Take>
    void look(const std::vector<float>& centroids, const Take& take) {
        const Index cols = rows_.cols(), count = static_cast<Index>(centroids.size() / static_cast<std::size_t>(cols));
        cpu_.blocks(rows_.count(), grain_, [&](Offset begin, Offset end, int) {
            device::AlignedBuffer<float> columns(static_cast<std::size_t>(cols) * tile_rows);
            device::AlignedBuffer<float> distances(static_cast<std::size_t>(count) * tile_rows);
            std::vector<float> scratch;
            const float* x = rows_.at(begin, end, scratch);
            for (Offset first = begin; first < end; first += tile_rows, x += Offset{tile_rows} * cols) {
                const auto here = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
                distances_of_tile(x, here, cols, centroids.data(), count, columns.data(), distances.data());
                for (Index j = 0; j < count; ++j) {
                    for (Index r = 0; r < here; ++r) {
                        take(first + r, j, distances[static_cast<std::size_t>(Offset{j} * tile_rows + r)]);
                    }
                }
            }
        });
    }

    device::Cpu& cpu_;
    const Rows& rows_;
    Offset grain_;
    std::vector<float> nearest_;
    std::vector<double> parts_;  ///< of the sum, by block
};

void append_row(std::vector<float>& centroids, const Rows& rows, Offset row) {
    std::vector<float> scratch;
    const float* x = rows.at(row, row + 1, scratch);
    centroids.insert(centroids.end(), x, x + rows.cols());
}

/// A row, drawn by weight.
Offset draw_by_weight(const Rows& rows, std::uint64_t seed) {
    if (rows.weights.empty()) return static_cast<Offset>(math::random_below(static_cast<Row>(rows.count()), seed, 0));
    double sum = 0;
    for (Offset r = 0; r < rows.count(); ++r) sum += rows.weight(r);
    double target = sum * math::random_uniform(seed, 0);
    Offset last = 0;
    for (Offset r = 0; r < rows.count() && target >= 0; ++r) {
        if (rows.weight(r) > 0) last = r;
        target -= rows.weight(r);
    }
    return last;
}

/// So many different rows, all sets equally likely (Floyd).
std::vector<float> random_rows(const Rows& rows, Index count, std::uint64_t seed) {
    std::unordered_set<Offset> chosen;
    std::vector<float> centroids;
    for (Offset j = rows.count() - count; j < rows.count(); ++j) {
        const auto drawn = static_cast<Offset>(math::random_below(static_cast<Row>(j + 1), seed, static_cast<Row>(j)));
        const Offset row = chosen.insert(drawn).second ? drawn : j;
        chosen.insert(row);
        append_row(centroids, rows, row);
    }
    return centroids;
}

/// Draws at each step, of which the one that lowers the sum most is kept.
int draws_of(Index clusters) { return 2 + static_cast<int>(std::log(static_cast<double>(clusters))); }

std::vector<float> plus_plus(device::Cpu& cpu, const Rows& rows, Index clusters, std::uint64_t seed, const Run& run) {
    device::Ticker ticker(run, "start", clusters);
    const auto cols = static_cast<std::size_t>(rows.cols());
    const int draws = draws_of(clusters);
    std::vector<float> centroids;
    append_row(centroids, rows, draw_by_weight(rows, seed));
    Spread spread(cpu, rows);
    std::vector<float> newest = centroids;
    for (Index k = 1; k < clusters && !run.stop.stop_requested(); ++k) {
        spread.meet(newest);
        std::vector<float> candidates;
        for (int draw = 0; draw < draws; ++draw) {
            const double u = math::random_uniform(seed, static_cast<Row>(k), static_cast<Row>(draw));
            append_row(candidates, rows, spread.row_at(u * spread.sum()));
        }
        const std::vector<double> sums = spread.sums_with(candidates);
        const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        newest.assign(candidates.data() + best * cols, candidates.data() + (best + 1) * cols);
        centroids.insert(centroids.end(), newest.begin(), newest.end());
        ticker.tick(k + 1);
    }
    while (centroids.size() < static_cast<std::size_t>(clusters) * cols) {  // a stop was asked for
        append_row(centroids, rows, draw_by_weight(rows, seed + centroids.size()));
    }
    return centroids;
}

/// Rows drawn on their own, each by its share of the sum, about `wanted` of them.
std::vector<float> draw_many(const Rows& rows, const Spread& spread, double wanted, std::uint64_t seed, int round) {
    const double factor = wanted / spread.sum();
    std::vector<float> drawn;
    for (Offset r = 0; r < rows.count(); ++r) {
        const double u = math::random_uniform(seed, static_cast<Row>(r), static_cast<Row>(round));
        if (u < factor * spread.share(r)) append_row(drawn, rows, r);
    }
    return drawn;
}

/// How much weight is nearest to each centroid.
std::vector<float> weights_of(device::Cpu& cpu, const Rows& rows, const std::vector<float>& centroids) {
    const Index cols = rows.cols(), count = static_cast<Index>(centroids.size() / static_cast<std::size_t>(cols));
    std::vector<Index> labels(static_cast<std::size_t>(rows.count()));
    cpu.blocks(rows.count(), grain_of(cols), [&](Offset begin, Offset end, int) {
        device::AlignedBuffer<float> columns(static_cast<std::size_t>(cols) * tile_rows);
        std::vector<float> scratch;
        float distance[tile_rows];
        const float* x = rows.at(begin, end, scratch);
        for (Offset first = begin; first < end; first += tile_rows, x += Offset{tile_rows} * cols) {
            const auto here = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
            nearest_of_tile(x, here, cols, centroids.data(), count, columns.data(), labels.data() + first, distance);
        }
    });
    std::vector<double> weights(static_cast<std::size_t>(count));
    for (Offset r = 0; r < rows.count(); ++r) {
        weights[static_cast<std::size_t>(labels[static_cast<std::size_t>(r)])] += rows.weight(r);
    }
    return {weights.begin(), weights.end()};
}

std::vector<float> parallel_plus_plus(device::Cpu& cpu, const Rows& rows, Index clusters, std::uint64_t seed,
                                      const Run& run) {
    constexpr int rounds = 5;
    std::vector<float> candidates;
    append_row(candidates, rows, draw_by_weight(rows, seed));
    Spread spread(cpu, rows);
    spread.meet(candidates);
    for (int round = 1; round <= rounds && spread.sum() > 0; ++round) {
        const std::vector<float> drawn = draw_many(rows, spread, 0.5 * clusters + 2, seed, round);
        if (drawn.empty()) continue;
        spread.meet(drawn);
        candidates.insert(candidates.end(), drawn.begin(), drawn.end());
    }
    const auto count = static_cast<Index>(candidates.size() / static_cast<std::size_t>(rows.cols()));
    if (count < clusters) return plus_plus(cpu, rows, clusters, seed, run);
    const std::vector<float> weights = weights_of(cpu, rows, candidates);
    const Rows few{{candidates.data(), count, rows.cols()}, weights};
    return plus_plus(cpu, few, clusters, math::random_bits(seed, 1), run);
}

}  // namespace

std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run) {
    switch (start) {
        case Start::random:
            return random_rows(rows, clusters, seed);
        case Start::parallel:
            return parallel_plus_plus(cpu, rows, clusters, seed, run);
        case Start::plusplus:
            break;
    }
    return plus_plus(cpu, rows, clusters, seed, run);
}

}  // namespace dunlin::kmeans
