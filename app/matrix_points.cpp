// SPDX-License-Identifier: Apache-2.0
#include "matrix_points.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "dissimilarities.hpp"

namespace dunlin::app {

namespace {

/// Items up to which classical scaling is exact; beyond, it is that of pivots.
constexpr Index most_for_classical = 2000;

Matrix zeros(Index n) { return {n, 1, std::vector<float>(static_cast<std::size_t>(n), 0.0F)}; }

/// Sets the places for the start, which are the principal coordinates of Euclidean distances.
void scale(const mds::Dissimilarities& items, const CommonOptions& common, int dim, MatrixPoints& matrix) {
    if (items.missing() > 0) {
        matrix.start = "random";
        return;
    }
    const bool exact = items.size() <= most_for_classical;
    const mds::Options options{.dim = dim, .method = exact ? mds::Method::classical : mds::Method::pivot};
    Map map = mds::place(items, options, common.run).map;
    require_read(common, map.size() == 0);
    matrix.start = std::string(name_of(options.method));
    matrix.points.values = Matrix(items.size(), map.dim, std::move(map.coordinates));
}

}  // namespace

void refuse_flags_of_points(const fs::path& path, const CLI::App& flags, std::initializer_list<const char*> names,
                            std::string_view holds) {
    for (const char* name : names) {
        const CLI::Option* option = flags.get_option_no_throw(fmt::format("--{}", name));
        if (option == nullptr || option->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; leave it "
                                                  "out, or give points",
                                                  name, path.string(), holds));
    }
}

MatrixPoints read_matrix_points(const fs::path& path, CommonOptions& common, const CLI::App& flags, const Files& files,
                                const MatrixUse& use) {
    refuse_flags_of_points(path, flags,
                           {"metric", "normalize", "pca", "recall", "state", "fixed", "grow", "ids", "transpose",
                            "columns", "drop-rows-with-gaps", "fill", "text"});
    if (use.search == neighbors::Method::approximate) refuse_flags_of_points(path, flags, {"neighbors"});
    for (const char* name : {"neighbors", "affinities"}) {
        if (!files.contains(name)) continue;
        throw Error(Fault::bad_input,
                    fmt::format("--{} {}: {} holds dissimilarities, in which neighbors are searched; leave one of them "
                                "out",
                                name, files.at(name).string(), path.string()));
    }
    Input input = read_dissimilarities(path, {}, common);
    const Index n = input.items.size();
    MatrixPoints matrix{input.about.values, std::move(input.about), {}};
    matrix.points.values = zeros(n);
    matrix.points.guess = {io::Holds::dissimilarities, false, ""};
    if (!files.contains("start") && use.start != descent::Start::random) scale(input.items, common, use.dim, matrix);
    if (use.start == descent::Start::spectral) matrix.start.clear();
    return matrix;
}

void put_matrix(const MatrixPoints& matrix, nlohmann::ordered_json& input, nlohmann::ordered_json& options) {
    input["cols"] = matrix.dissimilarities.cols();
    for (const char* name : {"metric", "pca", "recall"}) options.erase(name);
    if (!matrix.start.empty()) options["start"] = matrix.start;
}

}  // namespace dunlin::app
