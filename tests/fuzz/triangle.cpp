// SPDX-License-Identifier: Apache-2.0
#include <dunlin/square.hpp>

#include "fuzz.hpp"
#include "io/triangle.hpp"

using namespace dunlin;

namespace {

/// A matrix of dissimilarities, whose entries may be missing.
void check_square(const std::optional<io::Square>& square) {
    if (!square) return;
    fuzz::require(square->values.rows() > 0 && square->values.rows() == square->values.cols());
    fuzz::require(square->ids.empty() || std::ssize(square->ids) == square->values.rows());
}

}  // namespace

/// Triangles, matrices of PHYLIP, printed dists and pairs.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const io::Bytes bytes = fuzz::input(data, size, "a.txt");
    io::ReadOptions options;
    if (choice.bit(0)) options.holds = io::Holds::dissimilarities;
    if (choice.bit(1)) options.decimal = io::Decimal::comma;
    return fuzz::run([&] {
        check_square(choice.bit(2) ? io::read_pairs(bytes, options.decimal) : io::read_triangle(bytes, options));
        return Labels();
    });
}
