// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// Adjacency lists.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.adjlist");
}
