// SPDX-License-Identifier: Apache-2.0
// Scores of a map of points, whole and by stages, from host arrays.
//
//   bench_scores_gpu [--commit NAME] [--data DIR] [--runs N] [--device cpu|cuda] CASE...
//
// CASE: mnist60k, or ROWSxCOLUMNS of structured points. The map is t-SNE's up to a million rows; beyond, two columns of
// the points. Prints a CSV row per case and stage: `whole` is evaluate() with the sizes of `dunlin score`, `sampled`
// with those of the methods; the other stages have the sizes of `whole`, each from an engine that holds the points. Of
// these, `engine` is one without points; `co-ranking of two maps` less `co-ranking` is what a map costs, and
// `distances` what its distances in the data do, with the counts of ranks; `nearest in data` is a stage of `sampled`
// alone. What `whole` takes beyond its stages is said at the end, on the error stream. The first call of a process is
// made apart, on 3,000 points.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "math/at.hpp"
#include "progress/stopwatch.hpp"
#include "scores/centroids.hpp"
#include "scores/evaluated_rows.hpp"
#include "scores/rank_scores.hpp"
#include "scores/sampled_pairs.hpp"
#include "scores/sampling_rules.hpp"
#include "scores/triplets.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;

struct Input {
    MatrixView<const float> view;
    Labels labels;
    io::Points read;  // owner of the values: one of these
    made::Points points;
};

Input input_of(const std::string& name, const std::string& data) {
    Input input;
    if (name == "mnist60k") {
        const std::string place = data + "/points/mnist";
        input.read =
            io::read_points(place + "/train-images-idx3-ubyte.gz", {.labels = place + "/train-labels-idx1-ubyte.gz"});
        input.labels = input.read.labels;
        input.view = input.read.values.view();
        return input;
    }
    const std::size_t by = name.find('x');
    if (by == std::string::npos) throw std::invalid_argument("a case is mnist60k or ROWSxCOLUMNS, not " + name);
    input.points =
        made::structured(static_cast<Index>(std::stol(name)), static_cast<Index>(std::stol(name.substr(by + 1))));
    input.labels = input.points.labels;
    input.view = input.points.view();
    return input;
}

Map map_of(MatrixView<const float> points, const Run& run) {
    if (points.rows <= 1000000) return tsne::embed(points, {}, run).map;
    Map map{2, std::vector<float>(2 * at(points.rows))};
    for (Index i = 0; i < points.rows; ++i) {
        for (const Index c : {0, 1}) map.coordinates[2 * at(i) + at(c)] = points(i, c);
    }
    return map;
}

/// Prints the seconds of `runs` calls.
class Rows {
public:
    Rows(std::string head, int runs) : head_(std::move(head)), runs_(runs) {}

    /// Returns the median.
    double time(const char* stage, const auto& call) const {
        std::vector<double> seconds;
        for (int r = 0; r < runs_; ++r) {
            progress::Stopwatch watch;
            call();
            seconds.push_back(watch.lap());
        }
        const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
        const double median = bench::median(seconds);
        std::printf("%s,%s,%d,%.5g,%.5g,%.5g\n", head_.c_str(), stage, runs_, median, *least, *most);
        std::fflush(stdout);
        return median;
    }

private:
    std::string head_;
    int runs_;
};

/// Seconds of the stages of `whole`.
double time_stages(const Rows& rows, const Input& input, const Map& map, const Run& run) {
    const scores::Options options = scores::thorough();
    const Index n = input.view.rows;
    rows.time("engine", [&] { (void)scores::make_engine({}, n, options.metric, run); });
    const auto make = [&] { return scores::make_engine(input.view, n, options.metric, run); };
    double all = rows.time("upload", [&] { (void)make(); });
    const auto engine = make();
    all += rows.time("check", [&] { scores::check_points("scores", *engine, input.view, map); });
    all += rows.time("samples", [&] {
        (void)scores::rows_to_vote(n, options, run);
        (void)scores::rows_of_trustworthiness(n, options, run);
        (void)scores::rows_to_sort(n, options, run);
    });
    const auto voting = scores::rows_to_vote(n, options, run),
               ranked = scores::rows_of_trustworthiness(n, options, run),
               sorted = scores::rows_to_sort(n, options, run);
    all += rows.time("nearest in map", [&] { (void)engine->nearest_in_map(map, voting, 15); });
    if (!input.labels.empty()) {
        const scores::EvaluatedRows voters = scores::nearest_in_map(*engine, map, voting, 15);
        all += rows.time("votes", [&] { (void)scores::label_accuracy_of(engine->cpu(), voters, input.labels, 10); });
    }
    const std::vector<Map> two{map, map};
    const std::vector<std::vector<Index>> neighbors(2, engine->nearest_in_map(map, sorted, 15));
    all +=
        rows.time("co-ranking", [&] { (void)engine->co_rank({&map, 1}, sorted, std::span(neighbors).first(1), 15); });
    rows.time("co-ranking of two maps", [&] { (void)engine->co_rank(two, sorted, neighbors, 15); });
    rows.time("distances", [&] { (void)engine->data_ranks(sorted, neighbors.front()); });
    const std::vector<Index> others = engine->nearest_in_map(map, ranked, 15);
    if (ranked.size() > sorted.size()) all += rows.time("ranks", [&] { (void)engine->data_ranks(ranked, others); });
    const auto few = scores::rows_of_preservation(n, {}, run);
    rows.time("nearest in data", [&] { (void)engine->nearest_in_data(few, 15); });
    all += rows.time("pairs", [&] { (void)scores::SampledPairs(*engine, n, 1000, run.seed).correlations({&map, 1}); });
    rows.time("triplets drawn", [&] { (void)scores::Triplets(*engine, n, run.seed); });
    all += rows.time("triplets", [&] { (void)scores::Triplets(*engine, n, run.seed).of(map); });
    if (input.labels.empty()) return all;
    const scores::ClassRows classes(input.labels);
    using scores::Center;
    all += rows.time("means", [&] { (void)engine->centers_of_points(classes, Center::mean); });
    all += rows.time("medians", [&] { (void)engine->centers_of_points(classes, Center::median); });
    all += rows.time("centers of map", [&] {
        for (const Center center : {Center::mean, Center::median}) (void)engine->centers(map, classes, center);
    });
    const auto centroids = [&](Center center) {
        return scores::centroids_of(*engine, input.view.cols, options.metric, map, classes, center);
    };
    const scores::Centroids means = centroids(Center::mean), medians = centroids(Center::median);
    all += rows.time("scores of centroids", [&] {
        (void)scores::centroid_neighbors_of(means, options, run);
        (void)scores::centroid_correlation_of(means, options, run);
        (void)scores::centroid_triplets_of(medians, options, run);
    });
    return all;
}

void time_case(const std::string& name, const std::string& head, const bench::Arguments& given, const Run& run) {
    const Input input = input_of(name, given.data);
    const Map map = map_of(input.view, run);
    const Rows rows(head + "," + name + "," + std::to_string(input.view.rows) + "," + std::to_string(input.view.cols),
                    given.runs);
    const auto evaluate = [&](const scores::Options& options) {
        return scores::evaluate(map, input.view, {}, input.labels, options, run);
    };
    const double whole = rows.time("whole", [&] { (void)evaluate(scores::thorough()); });
    rows.time("sampled", [&] { (void)evaluate({}); });
    const double stages = time_stages(rows, input, map, run);
    std::fprintf(stderr, "%s whole %.5g s, stages %.5g s, the rest %.5g s\n", name.c_str(), whole, stages,
                 whole - stages);
    const scores::Scores found = evaluate(scores::thorough());
    scores::each_score(found, [&](const char* score, const std::optional<scores::Score>& value) {
        if (value) std::fprintf(stderr, "%s %s %.9f +- %.6f\n", name.c_str(), score, value->value, value->se);
    });
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char day[16];
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    return day;
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--data", "--runs", "--device"}, 5);
    Run run;
    run.device = given.device;
    const made::Points warm = made::structured(3000, 50);
    const Map map{2, std::vector<float>(warm.values.begin(), warm.values.begin() + 6000)};
    (void)scores::evaluate(map, warm.view(), {}, warm.labels, {}, run);
    const std::string device = run.device == Device::cuda ? gpus().front().name : "cpu";
    std::printf("date,commit,device,case,rows,columns,stage,runs,median_s,min_s,max_s\n");
    for (const std::string& name : given.cases)
        time_case(name, today() + "," + given.commit + "," + device, given, run);
    return 0;
}
