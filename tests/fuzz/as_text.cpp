// SPDX-License-Identifier: Apache-2.0
#include "io/as_text.hpp"
#include "fuzz.hpp"

using namespace dunlin;

/// JSON lines, UTF-16 and archives of one file.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    return fuzz::run([&] { return io::as_text(fuzz::input(data, size, choice.bit(0) ? "a.jsonl" : "a.csv")); });
}
