// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"
#include "io/sequences.hpp"

using namespace dunlin;

/// GPX.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] { return io::read_tracks(fuzz::input(data, size, "a.gpx"), {}); });
}
