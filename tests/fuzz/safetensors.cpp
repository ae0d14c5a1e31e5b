// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// .safetensors.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    io::ReadOptions options;
    options.transpose = choice.bit(0);
    if (choice.bit(1)) options.array = "a";
    return fuzz::run([&] { return io::read_safetensors(fuzz::input(data, size, "a.safetensors"), options); });
}
