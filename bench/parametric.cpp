// SPDX-License-Identifier: Apache-2.0
// Parametric maps: training by stages, and places of new rows.
//
//   bench_parametric [--commit NAME] [--data DIR] [--runs N] [--device cpu|cuda] [--pretrain map|rbm|none] CASE...
//
// CASE: mnist (60,000 training images and 10,000 others of DIR), or a number of points: blobs with 784 columns and a
// tenth as many others. Default: mnist. Prints CSV rows: seconds of each stage of a training and in all (host to host),
// medians of the runs after a first one (of one run: its own), with the divergence of the last; then places of the
// others by a held model, host to host and, on a GPU, from an array of its memory to another (medians of 20 calls).
// `error`, of mnist: share of the others whose nearest training point in the map has another label.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/parametric.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "device/resident.hpp"
#include "nearest_label.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;

/// Rows of a training, and others, with their labels, if any.
struct Input {
    Matrix rows, others;
    Labels labels, other_labels;
};

Matrix blobs(Index rows, Offset first) {
    const made::Points made = made::gaussians(rows, 784, 10, static_cast<Index>(first));
    return Matrix(rows, 784, made.values);
}

Input input_of(const std::string& name, const std::string& data) {
    if (name == "mnist") {
        const std::string place = data + "/points/mnist/";
        return {io::read_points(place + "train-images-idx3-ubyte.gz").values,
                io::read_points(place + "t10k-images-idx3-ubyte.gz").values,
                io::read_labels(place + "train-labels-idx1-ubyte.gz"),
                io::read_labels(place + "t10k-labels-idx1-ubyte.gz")};
    }
    const auto n = static_cast<Index>(std::atoi(name.c_str()));
    if (n >= 10) return {blobs(n, 0), blobs(n / 10, n), {}, {}};
    std::fprintf(stderr, "'%s' is no case; give mnist or a number of points\n", name.c_str());
    std::exit(2);
}

/// Prints a row of a case.
struct Rows {
    std::string date, commit, device, name, pretrain;

    /// error: NaN if there is none.
    void print(std::string_view stage, const std::vector<double>& seconds, double kl,
               double error = std::numeric_limits<double>::quiet_NaN()) const {
        std::printf("%s,%s,%s,%s,%s,%.*s,%.6f,%.6f,%.4f,", date.c_str(), commit.c_str(), device.c_str(), name.c_str(),
                    pretrain.c_str(), static_cast<int>(stage.size()), stage.data(), bench::median(seconds),
                    *std::min_element(seconds.begin(), seconds.end()), kl);
        if (!std::isnan(error)) std::printf("%.4f", error);
        std::printf("\n");
        std::fflush(stdout);
    }
};

parametric::Result train(const Input& input, const parametric::Options& options, int runs, const Run& run,
                         const Rows& rows) {
    std::map<std::string, std::vector<double>> times;
    parametric::Result result;
    for (int i = runs > 1 ? 0 : 1; i <= runs; ++i) {
        progress::Stopwatch watch;
        result = parametric::train(input.rows.view(), options, run);
        const double total = watch.lap();
        if (i == 0) continue;
        times["total"].push_back(total);
        for (const auto& stage : result.seconds.stages()) times[std::string(stage.name)].push_back(stage.seconds);
    }
    for (const auto& [stage, seconds] : times) rows.print(stage, seconds, result.kl);
    return result;
}

template <class Call>
std::vector<double> seconds_of(const Call& call) {
    std::vector<double> seconds;
    for (int i = 0; i < 25; ++i) {
        progress::Stopwatch watch;
        call();
        if (i >= 5) seconds.push_back(watch.lap());
    }
    return seconds;
}

}  // namespace

int bench_main(int count, char** words) {
    parametric::Options options;
    const bench::Flags own{{"--pretrain", [&](const std::string& name) {
                                using enum parametric::Pretrain;
                                options.pretrain = name == "rbm" ? rbm : name == "none" ? none : map;
                            }}};
    bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--data", "--runs", "--device"}, 3, own);
    if (given.cases.empty()) given.cases = {"mnist"};
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
    std::printf("date,commit,device,case,pretrain,stage,seconds,seconds_least,kl,error\n");
    const Run run{.device = given.device};
    const bool on_gpu = given.device == Device::cuda;
    for (const std::string& name : given.cases) {
        const Input input = input_of(name, given.data);
        const Rows rows{date, given.commit, on_gpu ? gpus().front().name : "cpu", name,
                        std::string(name_of(options.pretrain))};
        const parametric::Result trained = train(input, options, given.runs, run, rows);
        const parametric::HeldModel held(trained.model, run);
        Map places;
        const std::vector<double> seconds = seconds_of([&] { places = held.transform(input.others.view()); });
        const bool has_labels = !input.labels.empty();
        rows.print("transform", seconds, 0,
                   has_labels
                       ? bench::nearest_error(trained.map.view(), input.labels, places.view(), input.other_labels)
                       : std::numeric_limits<double>::quiet_NaN());
        if (!on_gpu) continue;
        const MatrixView<const float> others = input.others.view();
        const DeviceMatrix<float> resident = device::matrix_on_gpu(
            std::span(others.data, static_cast<std::size_t>(others.size())), others.rows, others.cols, 0);
        rows.print("transform in GPU memory", seconds_of([&] { (void)held.transform(resident.view()); }), 0);
    }
    return 0;
}
