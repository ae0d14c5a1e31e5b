// SPDX-License-Identifier: Apache-2.0
#include "tsne/place/state.hpp"

#include <fmt/format.h>

#include <bit>

#include <dunlin/error.hpp>

#include "math/rng.hpp"

namespace dunlin::tsne {

namespace {

/// A hash of up to 256 rows at equal steps through all: other points, or the same in another order, have another one
/// unless these rows agree.
std::uint64_t fingerprint_of(MatrixView<const float> points) {
    constexpr Index most = 256;
    const Index taken = std::min(points.rows, most);
    std::uint64_t hash = 0;
    for (Index s = 0; s < taken; ++s) {
        const auto row = static_cast<Index>(Offset{s} * points.rows / taken);
        for (const float value : points.row(row)) {
            hash = math::random_bits(hash, std::bit_cast<std::uint32_t>(value + 0.0F));  // -0 is 0
        }
    }
    return hash;
}

}  // namespace

PlaceState state_of(MatrixView<const float> points, const PlaceOptions& options, const Reference& reference) {
    PlaceState state{points.rows,    points.cols, fingerprint_of(points), *options.perplexity, *options.k, *options.pca,
                     options.metric, {},          reference.far_of_map};
    state.gaussians.reserve(4 * reference.rows.size());
    for (const RowGaussian& row : reference.rows) {
        state.gaussians.insert(state.gaussians.end(), {row.rate, row.least, row.most, row.log_sum});
    }
    return state;
}

Reference reference_in(const PlaceState& state) {
    Reference reference{std::vector<RowGaussian>(at(state.rows)), state.far_of_map};
    for (Index i = 0; i < state.rows; ++i) {
        const float* row = state.gaussians.data() + Offset{4} * i;
        reference.rows[at(i)] = {row[0], row[1], row[2], row[3]};
    }
    return reference;
}

void check_state(const PlaceState& state, MatrixView<const float> points) {
    if (state.rows != points.rows || state.cols != points.cols) {
        throw Error(Fault::bad_input,
                    fmt::format("the state is of {} points of {} columns and these are {} of {}; give the points that "
                                "it was made from",
                                state.rows, state.cols, points.rows, points.cols));
    }
    if (std::ssize(state.gaussians) != Offset{4} * state.rows) {
        throw Error(Fault::bad_input, fmt::format("the state has {} numbers and must have 4 for each of {} points",
                                                  state.gaussians.size(), state.rows));
    }
    if (state.fingerprint != fingerprint_of(points)) {
        throw Error(Fault::bad_input,
                    "the state is of other points, or of these in another order; give the points that it was made "
                    "from, or make it again");
    }
}

}  // namespace dunlin::tsne
