// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// .npy and IDX.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    io::ReadOptions options;
    options.transpose = choice.bit(0);
    const io::Bytes bytes = fuzz::input(data, size, "a");
    return fuzz::run([&] { return choice.bit(1) ? io::read_idx(bytes, options) : io::read_npy(bytes, options); });
}
