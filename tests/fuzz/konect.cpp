// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// KONECT: edge lists of one or two sides.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "out.g");
}
