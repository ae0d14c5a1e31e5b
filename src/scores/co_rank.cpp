// SPDX-License-Identifier: Apache-2.0
#include "scores/co_rank.hpp"

#include <cmath>

#include "device/memory.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "scores/coordinate_columns.hpp"
#include "scores/rank_sort.hpp"

namespace dunlin::scores {

namespace {

/// Rows whose distances from all points are in memory at once: a tile of rows, or fewer if n is so large that they
/// would take more memory than the points do (and more than 128 MB).
Index rows_at_once(Index n, Index cols) {
    return std::clamp(std::max(static_cast<Index>((Offset{1} << 25) / n), cols), Index{6}, Index{384});
}

/// Memory of a thread, per point: two lists with their spares, distances and ranks in a map, counts of every map.
constexpr std::size_t bytes_of_sort(std::size_t maps) { return 48 + 4 * maps; }

/// Rows that are sorted at once: one per thread, or fewer if the lists of n points would take more than 4 GB.
Index sorts_at_once(device::Cpu& cpu, Index n, std::size_t maps) {
    const auto bytes = static_cast<Offset>(bytes_of_sort(maps)) * n;
    return static_cast<Index>(std::clamp<Offset>((Offset{1} << 32) / bytes, 1, cpu.threads()));
}

/// A map as the squared distances of its points from one of them, in double.
class MapDistances {
public:
    explicit MapDistances(const Map& map) : columns_(map) {}

    void from(Index row, std::vector<double>& squared) const {
        squared.assign(at(columns_.size), 0.0);
        for (int c = 0; c < columns_.dim; ++c) {
            const float* column = columns_.column(c);
            const auto own = static_cast<double>(column[row]);
            for (Index l = 0; l < columns_.size; ++l) {
                const double difference = static_cast<double>(column[l]) - own;
                squared[at(l)] += difference * difference;
            }
        }
    }

private:
    CoordinateColumns columns_;
};

/// Buffers of one thread.
struct Workspace {
    RankSort data_sort, map_sort;
    std::vector<double> squared;
    std::vector<Index> map_rank;                   ///< of every point
    std::vector<std::vector<std::uint32_t>> kept;  ///< of every map
};

class CoRanker {
public:
    CoRanker(std::span<const Map> maps, Index n, Index nearest, neighbors::Metric metric, std::span<const Index> rows,
             std::span<const std::vector<Index>> neighbors)
        : n_(n),
          nearest_(nearest),
          metric_(metric),
          rows_(rows),
          neighbors_(neighbors),
          maps_(maps.begin(), maps.end()),
          weights_(rnx_weights(n)),
          found_(maps.size()) {
        for (CoRanking& one : found_) {
            one.n = n;
            one.data_ranks.resize(rows.size() * at(nearest));
            one.map_ranks.resize(rows.size() * at(nearest));
            one.rnx_auc.resize(rows.size());
            one.kept.resize(at(n - 1));
            one.data_radius.resize(rows.size());
            one.map_radius.resize(rows.size());
        }
    }

    /// Ranks all points from the r-th row, at `distances` in the data.
    void rank(std::size_t r, std::span<const float> distances, Workspace& workspace) {
        const auto data = workspace.data_sort.sort(n_, rows_[r], [&](Index i) { return distances[at(i)]; });
        workspace.kept.resize(maps_.size());
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            progress::cancellation_point();
            rank(r, distances, data, m, workspace);
        }
    }

    std::vector<CoRanking> finish(std::span<const Workspace> workspaces) {
        for (const Workspace& workspace : workspaces) {
            for (std::size_t m = 0; m < workspace.kept.size(); ++m)
                for (std::size_t i = 0; i < workspace.kept[m].size(); ++i) found_[m].kept[i] += workspace.kept[m][i];
        }
        return std::move(found_);
    }

private:
    void rank(std::size_t r, std::span<const float> distances, std::span<const numerics::Keyed> data, std::size_t m,
              Workspace& workspace) {
        CoRanking& found = found_[m];
        maps_[m].from(rows_[r], workspace.squared);
        const auto map =
            workspace.map_sort.sort(n_, rows_[r], [&](Index i) -> double { return workspace.squared[at(i)]; });
        std::vector<Index>& map_rank = workspace.map_rank;
        map_rank.resize(at(n_));
        for (std::size_t p = 0; p < map.size(); ++p) map_rank[at(map[p].item)] = static_cast<Index>(p);

        std::vector<std::uint32_t>& kept = workspace.kept[m];
        kept.resize(at(n_ - 1));
        std::int64_t weight = 0;
        for (std::size_t p = 0; p < data.size(); ++p) {
            const auto larger = std::max(p, at(map_rank[at(data[p].item)]));
            weight += weights_[larger];
            ++kept[larger];
        }
        found.rnx_auc[r] = static_cast<double>(weight) * rnx_unit - 1;

        const std::size_t first = r * at(nearest_);
        double data_sum = 0, map_sum = 0;
        for (std::size_t j = 0; j < at(nearest_); ++j) {
            const Index other = neighbors_[m][first + j];
            const auto before = [](const numerics::Keyed& a, const numerics::Keyed& b) {
                return a.key != b.key ? a.key < b.key : a.item < b.item;
            };
            const numerics::Keyed keyed{std::bit_cast<std::uint32_t>(distances[at(other)]), other};
            const auto place = std::lower_bound(data.begin(), data.end(), keyed, before) - data.begin();
            found.data_ranks[first + j] = static_cast<Index>(place) + 1;
            found.map_ranks[first + j] = map_rank[at(data[j].item)] + 1;
            data_sum += square_of(distances[at(data[j].item)], metric_);
            map_sum += workspace.squared[at(map[j].item)];
        }
        found.data_radius[r] = data_sum / nearest_;
        found.map_radius[r] = map_sum / nearest_;
    }

    Index n_, nearest_;
    neighbors::Metric metric_;
    std::span<const Index> rows_;
    std::span<const std::vector<Index>> neighbors_;
    std::vector<MapDistances> maps_;
    std::vector<std::int64_t> weights_;
    std::vector<CoRanking> found_;
};

}  // namespace

std::vector<CoRanking> co_rank(device::Cpu& cpu, const Run& run, PairDistances& distances, std::span<const Map> maps,
                               std::span<const Index> rows, std::span<const std::vector<Index>> neighbors,
                               Index nearest) {
    const Index n = distances.size();
    // At most half of the memory for each; the ranks do not depend on it
    const Offset allowed = static_cast<Offset>(run.memory > 0 ? run.memory : device::free_memory()) / 2;
    const auto table_rows = std::max<Offset>(1, allowed / (static_cast<Offset>(sizeof(float)) * n));
    const auto lists = std::max<Offset>(1, allowed / (static_cast<Offset>(bytes_of_sort(maps.size())) * n));
    const auto batch = at(std::min<Offset>(rows_at_once(n, distances.cols()), table_rows));
    const auto sorts = at(std::min<Offset>(sorts_at_once(cpu, n, maps.size()), lists));
    device::require_memory(
        run, at(n) * (sizeof(float) * std::min(batch, rows.size()) + sorts * bytes_of_sort(maps.size())), "rnx_auc");
    CoRanker ranker(maps, n, nearest, distances.metric(), rows, neighbors);
    std::vector<Workspace> workspaces(sorts);
    std::vector<float> table(std::min(batch, rows.size()) * at(n));
    for (std::size_t first = 0; first < rows.size(); first += batch) {
        const auto some = rows.subspan(first, std::min(batch, rows.size() - first));
        distances.visit_all(some, [&](std::size_t r, Index begin, std::span<const float> distance) {
            std::copy(distance.begin(), distance.end(), table.begin() + static_cast<Offset>(r) * n + begin);
        });
        cpu.blocks(std::ssize(workspaces), 1, [&](Offset w, Offset, int) {
            for (std::size_t r = at(w); r < some.size(); r += workspaces.size())
                ranker.rank(first + r, std::span(table).subspan(r * at(n), at(n)), workspaces[at(w)]);
        });
    }
    return ranker.finish(workspaces);
}

/// The sum over K of R(K) / K, with R(K) = ((n - 1) c(K) / K - K) / (n - 1 - K) and c(K) the number of pairs with m <=
/// K, over the sum of 1 / K.
std::vector<std::int64_t> rnx_weights(Index n) {
    std::vector<double> weight(at(n - 1), 0.0);
    double harmonic = 0;
    for (Index k = n - 2; k >= 1; --k) {
        weight[at(k - 1)] = weight[at(k)] + (n - 1.0) / (static_cast<double>(k) * k * (n - 1.0 - k));
        harmonic += 1.0 / k;
    }
    std::vector<std::int64_t> units;
    units.reserve(weight.size());
    for (const double w : weight) units.push_back(std::llround(w / harmonic / rnx_unit));
    return units;
}

std::vector<double> rnx_curve(const CoRanking& ranking) {
    const double n = ranking.n, rows = static_cast<double>(ranking.rnx_auc.size());
    std::vector<double> curve(at(ranking.n - 2));
    Offset kept = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        kept += ranking.kept[i];
        const double k = static_cast<double>(i + 1), share = static_cast<double>(kept) / rows / k;
        curve[i] = ((n - 1) * share - k) / (n - 1 - k);
    }
    return curve;
}

}  // namespace dunlin::scores
