// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// Edge lists: all kinds of ids, headers, weights.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.txt");
}
