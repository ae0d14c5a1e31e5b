// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// Pajek: sections of vertices, edges and matrices.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.net");
}
