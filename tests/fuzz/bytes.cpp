// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// gzip and xz.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] { return io::decompressed(fuzz::input(data, size, "a")); });
}
