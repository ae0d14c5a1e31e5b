// SPDX-License-Identifier: Apache-2.0
#include "fuzz.hpp"

using namespace dunlin;

/// svmlight's lines of index:value.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] { return io::read_svmlight(fuzz::input(data, size, "a.svm"), {}); });
}
