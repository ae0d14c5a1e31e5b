// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// LDA-C: detection and reading.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const io::Holds holds = choice.bit(0) ? io::Holds::documents : io::Holds::automatic;
    return fuzz::run([&] { return io::read_points(fuzz::input(data, size, "t.txt"), {.holds = holds}); });
}
