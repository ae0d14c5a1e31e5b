// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// Graphs: .npz (a zip archive of arrays), Matrix Market and tables of edges.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    return fuzz::run([&] { return io::read_graph(fuzz::input(data, size, choice.bit(0) ? "g.csv" : "g.mtx")); });
}
