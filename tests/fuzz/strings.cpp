// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"
#include "io/sequences.hpp"

using namespace dunlin;

/// Texts with a string a line.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const io::StringOptions options{choice.bit(0) ? sequences::Unit::words : sequences::Unit::characters};
    return fuzz::run([&] { return io::read_strings(fuzz::input(data, size, "a.txt"), options); });
}
