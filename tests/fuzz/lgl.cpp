// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// LGL: vertices and their neighbors.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.lgl");
}
