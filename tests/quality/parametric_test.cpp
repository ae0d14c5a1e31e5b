// SPDX-License-Identifier: Apache-2.0
// Held-out digits placed by a parametric map, beside their places in a t-SNE map.
#include <dunlin/parametric.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "math/rng.hpp"

namespace dunlin {
namespace {

/// Rows with their labels.
struct LabeledRows {
    std::vector<float> values;
    std::vector<Index> labels;
    Index cols = 0;

    void add(const io::Points& points, Index row) {
        const auto of = points.values.row(row);
        values.insert(values.end(), of.begin(), of.end());
        labels.push_back(points.labels.of[static_cast<std::size_t>(row)]);
        cols = points.values.cols();
    }
    [[nodiscard]] MatrixView<const float> view() const {
        return {values.data(), static_cast<Index>(labels.size()), cols};
    }
};

/// Share of new rows whose nearest point in the map has another label.
double held_out_error(const Map& map, const LabeledRows& known, const Map& places, const LabeledRows& fresh) {
    const Graph nearest = neighbors::search(map.view(), places.view(), {.k = 1}).graph;
    Index wrong = 0;
    for (std::size_t q = 0; q < fresh.labels.size(); ++q)
        wrong += fresh.labels[q] != known.labels[static_cast<std::size_t>(nearest.targets[q])];
    return wrong / static_cast<double>(fresh.labels.size());
}

TEST(ParametricDigits, HeldOutRowsLieAmongTheirOwn) {
    const char* given = std::getenv("DUNLIN_EXAMPLES");
    const io::Points points =
        io::read_points(std::filesystem::path(given != nullptr ? given : DUNLIN_EXAMPLES) / "digits.csv.gz");
    LabeledRows known, fresh;
    for (Index row = 0; row < points.values.rows(); ++row)
        (math::random_below(5, 3, static_cast<std::uint64_t>(row)) == 0 ? fresh : known).add(points, row);
    dunlin::Run run;
    run.device = Device::cpu;
    parametric::Options options;
    options.layers = "200,200,200";  // small, as for few points (docs/parametric.md)
    const auto error_of = [&](const parametric::Result& result) {
        return held_out_error(result.map, known, parametric::transform(result.model, fresh.view()), fresh);
    };
    const parametric::Result result = parametric::train(known.view(), options, run);
    const double by_model = error_of(result);
    options.noise = 0;
    const parametric::Result plain = parametric::train(known.view(), options, run);
    options.noise = {};
    options.prototypes = 0;
    const parametric::Result direct = parametric::train(known.view(), options, run);
    const tsne::Result map = tsne::embed(known.view(), {}, run);
    const double placed =
        held_out_error(map.map, known, placement::place(known.view(), map.map, fresh.view(), {}, run).map, fresh);
    // 2.7% by the model, 5.4% without noise, 1.6% placed; without prototypes 5.7 or 3.2% by the processor, whose sums
    // decide where the training ends
    EXPECT_LT(placed, 0.03);
    EXPECT_LT(by_model, 0.045);
    EXPECT_LT(by_model, error_of(plain));
    EXPECT_LT(by_model, error_of(direct));
    EXPECT_LT(plain.kl, 1.2 * plain.kl_of_start);
    EXPECT_LT(result.kl, 1.45 * result.kl_of_start);
    EXPECT_LT(result.kl, direct.kl);
}

}  // namespace
}  // namespace dunlin
