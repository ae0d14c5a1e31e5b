// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// GML: nested lists of keys and values.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.gml");
}
