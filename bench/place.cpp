// SPDX-License-Identifier: Apache-2.0
// Placing of new points in a map, from host array to host array, by stages.
//
//   bench_place [--method tsne|umap|pacmap] [--commit NAME] [--data DIR] [--runs N] [--device cpu|cuda] [CASE...]
//
// CASE: mnist60k (the map of the 60,000 training images, the 10,000 test images placed), or a number of points,
// structured and in 50 dimensions, a tenth of them placed. Prints a CSV row per case and stage; a method other than
// tsne is appended to the name of the case: `whole` is place() with
// nothing known of the map's points, `ready` a Placer that has what it needs, without the score of the places, `row`
// the same for one query; `ready-STAGE` are stages of the last of these calls. labels: accuracy of a vote of the 10
// nearest points of the map. home: share of the map's own points (every tenth) that come back within a twentieth of the
// span, placed as queries.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/transform.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;

struct Input {
    MatrixView<const float> points, queries;
    Labels labels, of_queries;
    io::Points read_points, read_queries;  // owners of the values
    made::Points made;
};

Input input_of(const std::string& name, const std::string& data) {
    Input input;
    if (name == "mnist60k") {
        const std::string place = data + "/points/mnist/";
        input.read_points =
            io::read_points(place + "train-images-idx3-ubyte.gz", {.labels = place + "train-labels-idx1-ubyte.gz"});
        input.read_queries =
            io::read_points(place + "t10k-images-idx3-ubyte.gz",
                            {.labels = place + "t10k-labels-idx1-ubyte.gz", .shift = input.read_points.shift});
        input.labels = input.read_points.labels;
        input.of_queries = input.read_queries.labels;
        input.points = input.read_points.values.view();
        input.queries = input.read_queries.values.view();
        return input;
    }
    const auto n = static_cast<Index>(std::stol(name)), m = std::max<Index>(n / 10, 1);
    input.made = made::structured(n + m, 50);
    input.points = {input.made.values.data(), n, 50};
    input.queries = {input.made.values.data() + Offset{n} * 50, m, 50};
    return input;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<Offset>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Share of the queries whose label is the commonest among the 10 nearest points of the map.
double label_accuracy(const Input& input, const Map& map, const Map& placed, const Run& run) {
    if (input.labels.of.empty()) return NAN;
    const Graph near = neighbors::search(map.view(), placed.view(), {.k = 10}, run).graph;
    Index right = 0;
    for (Index q = 0; q < near.size(); ++q) {
        std::map<std::string, int> votes;
        for (Offset e = near.offsets[std::size_t(q)]; e < near.offsets[std::size_t(q) + 1]; ++e) {
            ++votes[input.labels.names[std::size_t(input.labels.of[std::size_t(near.targets[std::size_t(e)])])]];
        }
        const auto best = std::max_element(votes.begin(), votes.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        right += best->first == input.of_queries.names[std::size_t(input.of_queries.of[std::size_t(q)])] ? 1 : 0;
    }
    return static_cast<double>(right) / near.size();
}

double home_share(const Input& input, const Map& map, const placement::Placer& placer, const Run& run) {
    std::vector<float> rows;
    std::vector<Index> own;
    for (Index i = 0; i < input.points.rows; i += 10) {
        own.push_back(i);
        rows.insert(rows.end(), input.points.row(i).begin(), input.points.row(i).end());
    }
    const placement::Result placed =
        placer.place({rows.data(), static_cast<Index>(own.size()), input.points.cols}, run);
    double span = 0;
    for (Index d = 0; d < map.dim; ++d) {
        float least = map.view()(0, d), most = least;
        for (Index i = 0; i < map.size(); ++i) {
            least = std::min(least, map.view()(i, d));
            most = std::max(most, map.view()(i, d));
        }
        span = std::max(span, static_cast<double>(most - least));
    }
    Index home = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        double square = 0;
        for (Index d = 0; d < map.dim; ++d) {
            square +=
                std::pow(static_cast<double>(placed.map.view()(static_cast<Index>(i), d) - map.view()(own[i], d)), 2);
        }
        home += std::sqrt(square) <= 0.05 * span ? 1 : 0;
    }
    return static_cast<double>(home) / static_cast<double>(own.size());
}

struct Timed {
    std::vector<double> seconds;
    placement::Result last;
};
template <class Work>
Timed timed(int runs, const Work& work) {
    Timed all;
    for (int r = 0; r < runs; ++r) {
        progress::Stopwatch watch;
        all.last = work();
        all.seconds.push_back(watch.lap());
    }
    return all;
}

/// A map by these options' defaults, and the options of placing in it.
template <class Options>
std::pair<Map, placement::Options> made_by(MatrixView<const float> points, const Run& run) {
    const auto made = embed(points, Options(), run);
    placement::Options options = placement::options_of(made.options);
    options.search = neighbors::Method::automatic;
    return {made.map, options};
}

void time_case(const std::string& name, const std::string& head, placement::Method method,
               const bench::Arguments& given, const Run& run) {
    const Input input = input_of(name, given.data);
    auto [map, options] = method == placement::Method::tsne   ? made_by<tsne::Options>(input.points, run)
                          : method == placement::Method::umap ? made_by<umap::Options>(input.points, run)
                                                              : made_by<pacmap::Options>(input.points, run);
    const std::string label = method == placement::Method::tsne ? name : name + "-" + std::string(name_of(method));
    const Timed whole =
        timed(given.runs, [&] { return placement::place(input.points, map, input.queries, options, run); });
    options.score = false;
    const placement::Placer placer(input.points, map, options, run);
    const Timed ready = timed(given.runs + 1, [&] { return placer.place(input.queries, run); });
    const placement::Result of_no_query = placer.place({input.queries.data, 0, input.queries.cols}, run);
    const Timed row =
        timed(10 * given.runs, [&] { return placer.place({input.queries.data, 1, input.queries.cols}, run); });
    Run on_cpu;
    on_cpu.device = Device::cpu;
    const double accuracy = label_accuracy(input, map, whole.last.map, on_cpu);
    const double home = home_share(input, map, placer, run);
    const auto print = [&](std::string_view stage, const std::vector<double>& seconds) {
        const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
        std::printf("%s,%s,%d,%d,%d,%d,%.*s,%.5g,%.5g,%.5g,%.4f,%.4f,%.4f,%.4f\n", head.c_str(), label.c_str(),
                    input.points.rows, input.points.cols, input.queries.rows, static_cast<int>(seconds.size()),
                    static_cast<int>(stage.size()), stage.data(), median(seconds), *least, *most,
                    whole.last.preservation, accuracy, home,
                    static_cast<double>(whole.last.far) / std::max<Index>(input.queries.rows, 1));
        std::fflush(stdout);
    };
    print("whole", whole.seconds);
    print("ready", {ready.seconds.begin() + 1, ready.seconds.end()});
    print("row", row.seconds);
    for (const auto& stage : whole.last.seconds.stages()) print(stage.name, {stage.seconds});
    for (const auto& stage : ready.last.seconds.stages()) {
        print("ready-" + std::string(stage.name), {stage.seconds - of_no_query.seconds[stage.name]});
    }
}

}  // namespace

int bench_main(int count, char** words) {
    std::optional<placement::Method> method = placement::Method::tsne;
    const bench::Arguments given = bench::arguments_from(
        count, words, {"--commit", "--data", "--runs", "--device"}, 3,
        {{"--method", [&](const std::string& name) { method = value_named<placement::Method>(name); }}});
    if (!method) {
        std::fprintf(stderr, "--method is tsne, umap or pacmap\n");
        return 2;
    }
    Run run;
    run.device = given.device;
    const std::string device = run.device == Device::cuda ? gpus().front().name : "cpu";
    std::printf(
        "commit,device,case,points,columns,queries,runs,stage,median_s,min_s,max_s,preservation_15,label_accuracy,home,"
        "far\n");
    const std::vector<std::string> cases = given.cases.empty() ? std::vector<std::string>{"mnist60k"} : given.cases;
    for (const std::string& name : cases) time_case(name, given.commit + "," + device, *method, given, run);
    return 0;
}
