// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "fuzz.hpp"
#include "io/place_state.hpp"

namespace dunlin::placement {

/// Found by the type of its argument.
static void check(const State& state) {
    fuzz::require(state.rows >= 1 && state.k <= state.rows && state.pca <= state.cols);
    fuzz::require(state.scales.size() == 4 * static_cast<std::size_t>(state.rows));
    fuzz::require(std::none_of(state.scales.begin(), state.scales.end(), [](float s) { return std::isnan(s); }));
}

}  // namespace dunlin::placement

using namespace dunlin;

/// States of maps.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] { return io::parse_place_state(fuzz::input(data, size, "state.npz")); });
}
