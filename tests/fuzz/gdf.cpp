// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

/// GDF: two tables with quoted fields.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.gdf");
}
