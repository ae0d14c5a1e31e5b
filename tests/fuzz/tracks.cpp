// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"
#include "io/sequences.hpp"

using namespace dunlin;

/// Tables of tracks.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    io::ReadOptions options;
    if (choice.bit(0)) options.ids = choice.bit(1) ? "1" : "who";
    if (choice.bit(2)) options.labels = "2";
    return fuzz::run([&] { return io::read_tracks(fuzz::input(data, size, "a.csv"), options); });
}
