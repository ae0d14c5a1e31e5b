// SPDX-License-Identifier: Apache-2.0
#include "io/word_vectors.hpp"
#include "fuzz.hpp"

using namespace dunlin;

/// Vectors of tokens: text and binary.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const io::Bytes bytes = fuzz::input(data, size, choice.bit(0) ? "a.bin" : "a.txt");
    io::ReadOptions options;
    if (choice.bit(1)) options.ids = "1";
    return fuzz::run([&] { return io::read_word_vectors(bytes, options); });
}
