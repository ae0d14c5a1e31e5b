// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

#if defined(__has_feature)
extern "C" const char* __lsan_default_suppressions() { return "leak:libcgraph\n"; }
#endif

/// DOT by libcgraph, which leaks memory after an error.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return dunlin::fuzz::run_network(data, size, "g.dot");
}
