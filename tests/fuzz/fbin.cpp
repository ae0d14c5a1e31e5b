// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// .fbin and its relatives.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    io::ReadOptions options;
    options.transpose = choice.bit(0);
    const char* const name = choice.bit(1)   ? choice.bit(2) ? "a.u8bin" : "a.ibin"
                             : choice.bit(3) ? "a.f16bin"
                             : choice.bit(4) ? "a.i8bin"
                                             : "a.fbin";
    return fuzz::run([&] { return io::read_binary_rows(fuzz::input(data, size, name), options); });
}
