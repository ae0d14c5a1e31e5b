// SPDX-License-Identifier: Apache-2.0
#include "shards/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::kmeans {

std::vector<char> question_of(Options options, const Shape& shape, std::uint64_t seed, const std::string& more) {
    std::string text = more;
    fields([&](const auto& field) { text += fmt::format("{} {}, ", field.name, text_of(field.value)); }, options);
    text += fmt::format("{} x {} rows{} in chunks of {}, seed {}", shape.rows, shape.cols,
                        shape.weighted ? " with weights" : "", shape.chunk_rows, seed);
    return {text.begin(), text.end()};
}

DriverState resumed_state(std::span<const std::byte> bytes, const std::vector<char>& question) {
    auto state = decoded<DriverState>(bytes);
    if (state.header.kind != MessageKind::state) fail_for_message("it is not the state of a driver");
    if (state.question != question) {
        throw Error(Fault::bad_input,
                    fmt::format("the state to resume from is of another run ({}), and this one is ({}); give the same "
                                "options, or start anew",
                                std::string(state.question.begin(), state.question.end()),
                                std::string(question.begin(), question.end())));
    }
    return state;
}

namespace {

void require(bool fits, const char* what) {
    if (fits) return;
    throw Error(Fault::bad_input,
                fmt::format("the state to resume from is damaged: its {} do not fit; start anew", what));
}

template <class Values>
bool are_finite(const Values& values) {
    return std::all_of(values.begin(), values.end(), checkpoint::is_finite<typename Values::value_type>);
}

}  // namespace

void require_fit(const DriverState& state, const Options& options, int runs, Index cols) {
    const std::size_t whole = static_cast<std::size_t>(options.clusters) * static_cast<std::size_t>(cols);
    for (const auto* centroids : {&state.centroids.present, &state.centroids.previous, &state.best.centroids})
        require((centroids->empty() || centroids->size() == whole) && are_finite(*centroids), "centroids");
    for (const FilledCluster& fill : state.centroids.fills)
        require(fill.row >= 0 && fill.cluster >= 0 && fill.cluster < options.clusters, "rows of empty clusters");
    require(state.restart >= 0 && state.restart <= runs && state.iterations >= 0 &&
                state.iterations <= options.iterations && state.best.iterations >= 0,
            "counts of iterations");
    require(state.last_inertia >= 0 && state.best.inertia >= 0, "inertias");
}

void require_fit_of_choice(const DriverState& state, const Options& options, Index most, Index cols) {
    const std::size_t tried = state.tried_values.size();
    require(state.tried_inertias.size() == tried && std::cmp_less_equal(tried, most - options.clusters + 1),
            "numbers of clusters");
    if (tried == 0) return;
    const std::size_t clusters = state.chosen.centroids.size() / static_cast<std::size_t>(cols);
    require(clusters * static_cast<std::size_t>(cols) == state.chosen.centroids.size() &&
                std::cmp_greater_equal(clusters, options.clusters) &&
                clusters < static_cast<std::size_t>(options.clusters) + tried && are_finite(state.chosen.centroids) &&
                state.chosen.iterations >= 0,
            "centroids");
    const auto last = static_cast<std::size_t>(options.clusters) + tried - 1;
    require(state.last_tried.centroids.size() == last * static_cast<std::size_t>(cols) &&
                are_finite(state.last_tried.centroids) && state.last_tried.inertia >= 0 &&
                state.last_tried.iterations >= 0,
            "centroids of the last number");
}

void require_fit_of_mixture(const DriverState& state, Index cols) {
    require(are_finite(state.components), "components");
    require(std::cmp_equal(state.floors.size(), cols) && are_finite(state.floors), "floors");
    require(state.steps >= 0 && (state.steps == 0 || !std::isnan(state.log_likelihood)), "steps");
}

void require_same_rows(const DriverState& state, const Scales& scales) {
    if (state.scales.columns == scales.columns && state.scales.weights == scales.weights &&
        state.scales.means == scales.means && state.scales.most == scales.most) {
        return;
    }
    throw Error(Fault::bad_input, "the rows are not those of the state to resume from; start anew");
}

}  // namespace dunlin::kmeans
