// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "io/fail.hpp"
#include "io/triangle.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

/// Matrices one half of which, or whose diagonal, is empty.
namespace dunlin::io {

namespace {

enum class Half : unsigned char { above, below };

/// Whether all entries of a half are 0 or missing. Ends at the first that is not.
bool is_empty(MatrixView<const float> m, Half half) {
    for (Index i = 0; i < m.rows; ++i) {
        if (i % 64 == 0) progress::cancellation_point();
        const Index first = half == Half::above ? i + 1 : 0, last = half == Half::above ? m.cols : i;
        for (Index j = first; j < last; ++j) {
            if (m(i, j) != 0 && !std::isnan(m(i, j))) return false;
        }
    }
    return true;
}

}  // namespace

void complete_half(Square& square, const std::string& file) {
    const MatrixView<const float> m = square.values.view();
    const bool no_upper = is_empty(m, Half::above);
    if (!no_upper && !is_empty(m, Half::below)) return;
    if (no_upper && is_empty(m, Half::below)) return;
    std::vector<float> values = room_for_square(at(m.rows), file);
    for (Offset i = 0; i < m.rows; ++i) {
        progress::cancellation_point();
        for (Offset j = 0; j < m.cols; ++j) {
            const Offset row = no_upper ? std::max(i, j) : std::min(i, j), col = i + j - row;
            values[at(i * m.cols + j)] = m(static_cast<Index>(row), static_cast<Index>(col));
        }
    }
    square.values = Matrix(m.rows, m.cols, std::move(values));
    square.notes.push_back(
        {fmt::format("read as the half {} its diagonal, as the other half is empty", no_upper ? "below" : "above"),
         ""});
}

void complete_diagonal(Square& square, const std::string& file) {
    const MatrixView<const float> m = square.values.view();
    bool is_missing = false;
    for (Index i = 0; i < m.rows && !is_missing; ++i) is_missing = std::isnan(m(i, i));
    if (!is_missing) return;
    std::vector<float> values = room_for_square(at(m.rows), file);
    for (Offset i = 0; i < m.rows; ++i) {
        progress::cancellation_point();
        std::copy_n(m.data + i * m.cols, m.cols, values.begin() + i * m.cols);
        float& self = values[at(i * m.cols + i)];
        if (std::isnan(self)) self = 0;
    }
    square.values = Matrix(m.rows, m.cols, std::move(values));
}

}  // namespace dunlin::io
