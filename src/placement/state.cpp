// SPDX-License-Identifier: Apache-2.0
#include "placement/state.hpp"

#include <fmt/format.h>

#include <bit>

#include <dunlin/error.hpp>

#include "math/rng.hpp"
#include "placement/map_scale.hpp"

namespace dunlin::placement {

namespace {

/// A hash of up to `most` rows at equal steps through all.
std::uint64_t hash_of(MatrixView<const float> rows, Index most) {
    const Index taken = std::min(rows.rows, most);
    std::uint64_t hash = 0;
    for (Index s = 0; s < taken; ++s) {
        const auto row = static_cast<Index>(Offset{s} * rows.rows / taken);
        for (const float value : rows.row(row)) {
            hash = math::random_bits(hash, std::bit_cast<std::uint32_t>(value + 0.0F));  // -0 is 0
        }
    }
    return hash;
}

/// Other points, or the same in another order, have another one unless 256 rows agree.
std::uint64_t fingerprint_of(MatrixView<const float> points) { return hash_of(points, 256); }

}  // namespace

State state_of(MatrixView<const float> points, const Options& options, const Reference& reference) {
    State state{.method = options.method,
                .rows = points.rows,
                .cols = points.cols,
                .fingerprint = fingerprint_of(points),
                .perplexity = options.perplexity.value_or(0),
                .local_connectivity = options.method == Method::umap ? options.local_connectivity : 0,
                .k = *options.k,
                .pca = *options.pca,
                .metric = options.metric,
                .scales = {},
                .mean_distance = reference.mean_distance,
                .far_of_map = reference.far_of_map,
                .map_fingerprint = 0,
                .neighbor_distance = 0};
    state.scales.reserve(4 * reference.rows.size());
    for (const PointScale& row : reference.rows)
        state.scales.insert(state.scales.end(), {row.first, row.second, row.reach, row.third});
    return state;
}

void take_map(device::Cpu& cpu, MatrixView<const float> map, State& state) {
    const std::uint64_t fingerprint = hash_of(map, map.rows);
    if (state.neighbor_distance > 0 && state.map_fingerprint == fingerprint) return;
    state.neighbor_distance = neighbor_distance_of(cpu, map);
    state.map_fingerprint = fingerprint;
}

Reference reference_in(const State& state) {
    Reference reference{std::vector<PointScale>(at(state.rows)), state.mean_distance, state.far_of_map, 0};
    for (Index i = 0; i < state.rows; ++i) {
        const float* row = state.scales.data() + Offset{4} * i;
        reference.rows[at(i)] = {row[0], row[1], row[2], row[3]};
    }
    reference.typical_reach = typical_reach(reference.rows);
    return reference;
}

void check_state(const State& state, MatrixView<const float> points) {
    if (state.rows != points.rows || state.cols != points.cols) {
        throw Error(Fault::bad_input,
                    fmt::format("the state is of {} points of {} columns and these are {} of {}; give the points that "
                                "it was made from",
                                state.rows, state.cols, points.rows, points.cols));
    }
    if (std::ssize(state.scales) != Offset{4} * state.rows) {
        throw Error(Fault::bad_input, fmt::format("the state has {} numbers and must have 4 for each of {} points",
                                                  state.scales.size(), state.rows));
    }
    if (state.fingerprint != fingerprint_of(points)) {
        throw Error(Fault::bad_input,
                    "the state is of other points, or of these in another order; give the points that it was made "
                    "from, or make it again");
    }
}

}  // namespace dunlin::placement
