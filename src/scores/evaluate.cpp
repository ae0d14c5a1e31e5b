// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include <dunlin/labels.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "scores/centroids.hpp"
#include "scores/evaluated_rows.hpp"
#include "scores/kl.hpp"
#include "scores/rank_scores.hpp"
#include "scores/sampled_pairs.hpp"
#include "scores/sampling_rules.hpp"
#include "scores/triplets.hpp"

namespace dunlin::scores {

namespace {

/// Union of two ascending lists.
std::vector<Index> united(const std::vector<Index>& a, const std::vector<Index>& b) {
    std::vector<Index> both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

/// All scores of some maps of the same points; members are the steps.
class Evaluation {
public:
    Evaluation(ScoreEngine& engine, std::span<const Map> maps, MatrixView<const float> points, const Labels& labels,
               const Options& options, const Run& run, std::vector<Scores>& scores)
        : engine_(engine),
          cpu_(engine.cpu()),
          maps_(maps),
          points_(points),
          labels_(labels),
          options_(options),
          run_(run),
          n_(maps.front().size()),
          k_(std::min<Index>(15, n_ - 1)),
          scores_(scores) {}

    /// Finds the nearest in the maps of all rows that are used, and the scores that need no data.
    void search_maps() {
        const Index missing = unlabeled(labels_);
        const bool all_vote = !labels_.empty() && missing == 0;
        if (missing > 0 && n_ - missing > 10) {
            for (std::size_t m = 0; m < maps_.size(); ++m)
                scores_[m].label_accuracy = label_accuracy_of(engine_, maps_[m], labels_, 10, options_, run_);
        }
        const std::vector<Index> voting = all_vote ? rows_to_vote(n_, options_, run_) : std::vector<Index>{};
        std::vector<Index> rows = voting;
        if (k_ < 1 || (voting.empty() && points_.rows == 0)) return;
        if (points_.rows > 0) {
            rows = united(
                rows, united(rows_of_trustworthiness(n_, options_, run_), rows_of_preservation(n_, options_, run_)));
        }
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            evaluated_.push_back(nearest_in_map(engine_, maps_[m], rows, k_));
            if (voting.empty() || k_ < 10) continue;
            const auto vote = [&](const EvaluatedRows& voters) {
                scores_[m].label_accuracy = label_accuracy_of(cpu_, voters, labels_, 10);
            };
            rows == voting ? vote(evaluated_[m]) : vote(evaluated_[m].only(voting));
        }
    }

    /// Scores of ranks. Of the rows of trustworthiness, some are sorted, and the others' neighbors are counted.
    void rank() {
        const std::vector<Index> ranked = rows_of_trustworthiness(n_, options_, run_),
                                 sorted = rows_to_sort(n_, options_, run_);
        std::vector<Index> counted;
        std::set_difference(ranked.begin(), ranked.end(), sorted.begin(), sorted.end(), std::back_inserter(counted));
        std::vector<std::vector<Index>> neighbors, ranks = count(counted);
        for (const EvaluatedRows& evaluated : evaluated_) neighbors.push_back(evaluated.only(sorted).neighbors);
        const std::vector<CoRanking> found = engine_.co_rank(maps_, sorted, neighbors, k_);
        const bool trusts = largest_k_of_trustworthiness(n_) >= 12,
                   shares_rows = ranked == rows_of_preservation(n_, options_, run_);
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            Scores& scores = scores_[m];
            const EvaluatedRows of_ranked = evaluated_[m].only(ranked);
            const std::vector<Index> all = merged({ranked, sorted, counted}, found[m].data_ranks, ranks[m]);
            if (trusts) {
                scores.trustworthiness = trustworthiness_of(cpu_, of_ranked, all, 12);
                scores.continuity = trustworthiness_of(cpu_, evaluated_[m].only(sorted), found[m].map_ranks, 12);
            }
            if (shares_rows) {
                preserve([&](Index k) { return preservation_of(cpu_, of_ranked, all, k); }, scores);
            }
            scores.rnx_auc = mean_over(found[m].rnx_auc, n_);
            scores.rnx_curve = rnx_curve(found[m]);
            if (n_ > 15) scores.density_correlation = density_correlation_of(found[m]);
        }
    }

    /// Preservation of more rows than are ranked, by a search in the data.
    void search_data() {
        const std::vector<Index> rows = rows_of_preservation(n_, options_, run_);
        if (k_ < 10 || rows == rows_of_trustworthiness(n_, options_, run_)) return;
        const std::vector<Index> nearest = engine_.nearest_in_data(rows, k_);
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            const EvaluatedRows kept = evaluated_[m].only(rows);
            preserve([&](Index k) { return preservation_by(cpu_, kept, nearest, k); }, scores_[m]);
        }
    }

    void compare_distances() {
        const SampledPairs pairs(engine_, n_, points_of_pairs(options_.extent), run_.seed);
        const std::vector<Score> correlations = pairs.correlations(maps_);
        for (std::size_t m = 0; m < maps_.size(); ++m) scores_[m].distance_correlation = correlations[m];
        const Triplets drawn(engine_, n_, run_.seed);
        for (std::size_t m = 0; m < maps_.size(); ++m) scores_[m].triplets = drawn.of(maps_[m]);
    }

    void compare_centroids() {
        if (labels_.empty()) return;
        const ClassRows classes(labels_);
        if (classes.count() < 3) return;
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            const auto centroids = [&](Center center) {
                return centroids_of(engine_, points_.cols, options_.metric, maps_[m], classes, center);
            };
            const Centroids means = centroids(Center::mean);
            if (classes.count() >= nearest_centroids + 2)
                scores_[m].centroid_neighbors = centroid_neighbors_of(means, options_, run_);
            scores_[m].centroid_correlation = centroid_correlation_of(means, options_, run_);
            scores_[m].centroid_triplets = centroid_triplets_of(centroids(Center::median), options_, run_);
        }
    }

private:
    struct Split {
        const std::vector<Index>&ranked, &sorted, &counted;
    };

    /// Ranks in the data of the neighbors in every map.
    std::vector<std::vector<Index>> count(const std::vector<Index>& rows) const {
        std::vector<std::vector<Index>> ranks(maps_.size());
        if (rows.empty()) return ranks;
        std::vector<EvaluatedRows> mine;
        mine.reserve(evaluated_.size());
        for (const EvaluatedRows& evaluated : evaluated_) mine.push_back(evaluated.only(rows));
        std::vector<Index> others;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (const EvaluatedRows& one : mine) {
                const auto near = one.of(one.neighbors, r, k_);
                others.insert(others.end(), near.begin(), near.end());
            }
        }
        const std::vector<Index> found = engine_.data_ranks(rows, others);
        for (std::size_t i = 0; i < found.size(); ++i) ranks[i / at(k_) % maps_.size()].push_back(found[i]);
        return ranks;
    }

    /// The ranks of all ranked rows from those of the sorted and of the counted.
    [[nodiscard]] std::vector<Index> merged(const Split& rows, std::span<const Index> of_sorted,
                                            std::span<const Index> of_counted) const {
        std::vector<Index> all;
        std::size_t s = 0, c = 0;
        for (const Index row : rows.ranked) {
            const bool sorted = s < rows.sorted.size() && rows.sorted[s] == row;
            const auto mine =
                sorted ? of_sorted.subspan(s++ * at(k_), at(k_)) : of_counted.subspan(c++ * at(k_), at(k_));
            all.insert(all.end(), mine.begin(), mine.end());
        }
        return all;
    }

    template <class Preservation>
    void preserve(const Preservation& preservation, Scores& scores) const {
        if (k_ >= 10) scores.preservation_10 = preservation(10);
        if (k_ >= 15) scores.preservation_15 = preservation(15);
    }

    ScoreEngine& engine_;
    device::Cpu& cpu_;
    std::span<const Map> maps_;
    MatrixView<const float> points_;
    const Labels& labels_;
    const Options& options_;
    const Run& run_;
    Index n_, k_;
    std::vector<Scores>& scores_;
    std::vector<EvaluatedRows> evaluated_;  ///< of every map, the same rows
};

void evaluate_all(ScoreEngine& engine, std::span<const Map> maps, MatrixView<const float> points,
                  const Graph& affinities, const Labels& labels, const Options& options, const Run& run,
                  std::vector<Scores>& scores) {
    const Index n = maps.front().size();
    progress::ProgressReporter reporter(run, "score", 5);
    if (affinities.size() > 0 && n >= 2) {
        for (std::size_t m = 0; m < maps.size(); ++m) {
            check_kl(affinities, maps[m]);
            scores[m].kl = engine.kl(affinities, maps[m], options);
        }
    }
    reporter.announce(1);
    if (points.rows > 0) {
        for (const Map& map : maps) check_points("scores", engine, points, map);
    }
    Evaluation evaluation(engine, maps, points, labels, options, run, scores);
    evaluation.search_maps();
    reporter.announce(2);
    if (points.rows < 3) return;
    evaluation.rank();
    reporter.announce(3);
    evaluation.search_data();
    reporter.announce(4);
    evaluation.compare_distances();
    evaluation.compare_centroids();
    reporter.announce(5);
}

}  // namespace

std::vector<Scores> evaluate(std::span<const Map> maps, MatrixView<const float> points, const Graph& affinities,
                             const Labels& labels, const Options& options, const Run& run) {
    for (const Map& map : maps) {
        check("scores", map, options);
        check_sizes("scores", "first map", maps.front().size(), map);
        if (points.rows > 0) check_sizes("scores", "points", points.rows, map);
        if (!labels.empty()) check_sizes("scores", "labels", std::ssize(labels.of), map);
    }
    std::vector<Scores> scores(maps.size());
    if (options.extent == Extent::none || maps.empty()) {
        device::check(run);
        return scores;
    }
    progress::run_cancellable(run.stop, [&] {
        device::reset_cuda_peak_memory();
        const auto engine = make_engine(points, maps.front().size(), options.metric, run);
        for (Scores& one : scores) one.device = engine->device();
        evaluate_all(*engine, maps, points, affinities, labels, options, run, scores);
    });
    for (Scores& one : scores) one.gpu_memory = one.device == Device::cuda ? device::cuda_peak_memory() : 0;
    return scores;
}

Scores evaluate(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
                const Options& options, const Run& run) {
    return evaluate(std::span(&map, 1), points, affinities, labels, options, run).front();
}

}  // namespace dunlin::scores
