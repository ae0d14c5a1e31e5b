// SPDX-License-Identifier: Apache-2.0
// Parametric maps and rows that were not learned: share of held-out rows whose nearest point in the map has another
// label, by the noise of the training.
//
//   bench_held_out [--commit NAME] [--data DIR] [--runs SEEDS] [--device cpu|cuda] [--noise N,N..] [--layers L] CASE...
//
// CASE: mnist, mnist10000, mnist2000 (so many of the training images, 10,000 test images), shuttle (43,500 and 14,500
// rows); of the others every fifth row is held out: digits, coil20, pbmc68k, roll (5,000 points, 17 columns of noise,
// 20 parts along the roll), roll3 (the same without the noise), structured (20,000 x 50), gaussians (40,000 x 50, 20
// that overlap). Prints CSV rows, for each noise and seed, and `placed`: rows placed in the t-SNE map of seed 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/parametric.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "nearest_label.hpp"

namespace {

using namespace dunlin;

struct Input {
    Matrix rows, others;
    Labels labels, other_labels;
};

/// The first `most` rows.
void add_rows(MatrixView<const float> from, const Labels& labels, Index most, std::vector<float>& to, Labels& of) {
    const Index count = std::min(from.rows, most);
    to.assign(from.data, from.data + Offset{count} * from.cols);
    of = {{labels.of.begin(), labels.of.begin() + count}, labels.names};
}

Input two_files(const io::Points& rows, const io::Points& others, Index most) {
    Input input{{}, others.values, {}, others.labels};
    std::vector<float> values;
    add_rows(rows.values.view(), rows.labels, most, values, input.labels);
    input.rows = Matrix(static_cast<Index>(input.labels.of.size()), rows.values.cols(), std::move(values));
    return input;
}

Input every_fifth(MatrixView<const float> all, const Labels& labels) {
    Input input;
    input.labels.names = input.other_labels.names = labels.names;
    std::vector<float> rows, others;
    for (Index i = 0; i < all.rows; ++i) {
        const bool is_out = i % 5 == 4;
        auto& values = is_out ? others : rows;
        values.insert(values.end(), all.row(i).begin(), all.row(i).end());
        (is_out ? input.other_labels : input.labels).of.push_back(labels.of[static_cast<std::size_t>(i)]);
    }
    input.rows = Matrix(static_cast<Index>(input.labels.of.size()), all.cols, std::move(rows));
    input.others = Matrix(static_cast<Index>(input.other_labels.of.size()), all.cols, std::move(others));
    return input;
}

/// Label: the part of the roll, of 20 of equal width.
int roll(Offset i, Index columns, float* row) {
    const double along = made::uniform(i, 0, 30), turn = 1.5 * std::numbers::pi * (1 + 2 * along);
    row[0] = static_cast<float>(turn * std::cos(turn));
    row[1] = static_cast<float>(21 * made::uniform(i, 1, 30));
    row[2] = static_cast<float>(turn * std::sin(turn));
    for (Index c = 3; c < columns; ++c) row[c] = static_cast<float>(made::normal(i, c, 31));
    return static_cast<int>(20 * along);
}

/// Centers about 5.5 apart, of clusters of width 1.
int overlapping(Offset i, Index columns, float* row) {
    const int of = static_cast<int>(20 * made::uniform(i, 0, 32));
    for (Index c = 0; c < columns; ++c)
        row[c] = static_cast<float>(0.55 * made::normal(of, c, 33) + made::normal(i, c, 34));
    return of;
}

Input input_of(const std::string& name, const std::string& data) {
    const std::string place = data + "/points/";
    const auto fifth_of_file = [](const std::string& file, const std::string& labels) {
        const io::Points points = io::read_points(file, {.labels = labels});
        return every_fifth(points.values.view(), points.labels);
    };
    const auto fifth_of = [](const made::Points& points) { return every_fifth(points.view(), points.labels); };
    const auto made_by = [&](Index rows, Index columns, auto fill) {
        return fifth_of(made::filled(rows, columns, [&](Offset i, float* row) { return fill(i, columns, row); }));
    };
    if (name.starts_with("mnist")) {
        const std::string digits = place + "mnist/", number = name.substr(5);
        return two_files(
            io::read_points(digits + "train-images-idx3-ubyte.gz", {.labels = digits + "train-labels-idx1-ubyte.gz"}),
            io::read_points(digits + "t10k-images-idx3-ubyte.gz", {.labels = digits + "t10k-labels-idx1-ubyte.gz"}),
            number.empty() ? 60000 : std::atoi(number.c_str()));
    }
    if (name == "shuttle") {
        const io::Points rows = io::read_points(place + "shuttle/shuttle_train_43500x9.csv.xz", {.labels = "Class"});
        return two_files(
            rows,
            io::read_points(place + "shuttle/shuttle_test_14500x9.csv.xz", {.labels = "Class", .shift = rows.shift}),
            rows.values.rows());
    }
    if (name == "digits") return fifth_of_file(place + "sklearn/digits.csv.gz", "65");
    if (name == "coil20")
        return fifth_of_file(place + "coil20/coil20-images-idx3-ubyte.gz",
                             place + "coil20/coil20-labels-idx1-ubyte.gz");
    if (name == "pbmc68k") return fifth_of_file(place + "pbmc68k/pbmc68k_reduced_pca_700x50.csv.xz", "bulk_label");
    if (name == "roll") return made_by(5000, 20, roll);
    if (name == "roll3") return made_by(5000, 3, roll);
    if (name == "structured") return fifth_of(made::structured(20000, 50));
    if (name == "gaussians") return made_by(40000, 50, overlapping);
    std::fprintf(stderr, "'%s' is no case; the head of the source names them\n", name.c_str());
    std::exit(2);
}

struct Row {
    std::string date, commit, device, layers;

    void print(const std::string& name, const Input& input, const std::string& noise, std::uint64_t seed, double error,
               double kl, double tsne_kl) const {
        std::printf("%s,%s,%s,%s,\"%s\",%d,%d,%s,%llu,%.4f,%.4f,%.4f\n", date.c_str(), commit.c_str(), device.c_str(),
                    name.c_str(), layers.c_str(), input.rows.rows(), input.others.rows(), noise.c_str(),
                    static_cast<unsigned long long>(seed), error, kl, tsne_kl);
        std::fflush(stdout);
    }
};

double error_of(const Input& input, const Map& map, const Map& places) {
    return bench::nearest_error(map.view(), input.labels, places.view(), input.other_labels);
}

void place(const std::string& name, const Input& input, const Run& run, const Row& row) {
    const tsne::Result made = tsne::embed(input.rows.view(), {}, run);
    const placement::Result placed = placement::place(input.rows.view(), made.map, input.others.view(), {}, run);
    row.print(name, input, "placed", run.seed, error_of(input, made.map, placed.map), made.kl, made.kl);
}

std::vector<std::string> words_of(const std::string& list) {
    std::istringstream in(list);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    return words;
}

}  // namespace

int bench_main(int count, char** words) {
    parametric::Options options;
    std::vector<std::string> noises{"0", "0.5", "1", "2"};
    const bench::Flags own{{"--noise", [&](const std::string& list) { noises = words_of(list); }},
                           {"--layers", [&](const std::string& layers) { options.layers = layers; }}};
    const bench::Arguments given =
        bench::arguments_from(count, words, {"--commit", "--data", "--runs", "--device"}, 3, own);
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
    std::printf("date,commit,device,case,layers,points,others,noise,seed,error,kl,tsne_kl\n");
    const Row row{date, given.commit, given.device == Device::cuda ? gpus().front().name : "cpu", options.layers};
    for (const std::string& name : given.cases) {
        const Input input = input_of(name, given.data);
        Run run;
        run.device = given.device;
        place(name, input, run, row);
        for (const std::string& noise : noises) {
            options.noise = std::strtof(noise.c_str(), nullptr);
            for (run.seed = 1; run.seed <= static_cast<std::uint64_t>(given.runs); ++run.seed) {
                const parametric::Result trained = parametric::train(input.rows.view(), options, run);
                const Map places = parametric::transform(trained.model, input.others.view(), run);
                row.print(name, input, noise, run.seed, error_of(input, trained.map, places), trained.kl,
                          trained.kl_of_start);
            }
        }
    }
    return 0;
}
