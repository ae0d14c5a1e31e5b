// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// Archives of arrays as points.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    io::ReadOptions options;
    options.transpose = choice.bit(0);
    if (choice.bit(1)) options.holds = io::Holds::documents;
    if (choice.bit(2)) options.array = "data";
    return fuzz::run([&] { return io::read_npz(fuzz::input(data, size, "t.npz"), options); });
}
