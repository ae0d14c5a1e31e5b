// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// Files of labels: lines, tables and arrays.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    return fuzz::run([&] { return io::read_labels(fuzz::input(data, size, choice.bit(0) ? "l.csv" : "l.txt")); });
}
