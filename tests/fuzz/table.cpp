// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// Text tables: delimiters, headers, quotes, labels and ids.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    io::ReadOptions options;
    options.transpose = choice.bit(0);
    if (choice.bit(1)) options.labels = choice.bit(2) ? "2" : "a";
    if (choice.bit(3)) options.ids = choice.bit(4) ? "1" : "b";
    if (choice.bit(5)) options.decimal = choice.bit(6) ? io::Decimal::comma : io::Decimal::point;
    return fuzz::run([&] { return io::read_table(fuzz::input(data, size, "t.csv"), options); });
}
