// SPDX-License-Identifier: Apache-2.0
#include "io/magnitudes.hpp"

#include <algorithm>
#include <numeric>

#include "io/fail.hpp"

namespace dunlin::io {

void VanishedColumns::look_at(const double* row, const double* shift, std::span<const float> stored) {
    for (std::size_t c = 0; c < stored.size(); ++c) {
        if (!vanishes(row[c] - (shift == nullptr ? 0 : shift[c]), stored[c])) continue;
        if (columns_.empty()) columns_.resize(stored.size());
        Column& column = columns_[c];
        if (column.count++ == 0) column.number = row[c];
        column.differs = column.differs || row[c] != column.number;
    }
}

VanishedColumns::VanishedNumber VanishedColumns::found(MatrixView<const float> stored, bool only_all) const {
    if (columns_.empty()) return {};
    std::vector<std::size_t> unseen(columns_.size());
    std::iota(unseen.begin(), unseen.end(), std::size_t{0});
    if (!only_all) std::erase_if(unseen, [this](std::size_t c) { return columns_[c].count == 0; });
    for (Index r = 0; r < stored.rows && !unseen.empty(); ++r) {
        const std::span<const float> row = stored.row(r);
        std::erase_if(unseen, [row](std::size_t c) { return std::abs(row[c]) >= least_magnitude; });
    }
    if (only_all && unseen.size() < columns_.size()) return {};
    for (const std::size_t c : unseen) {
        const Column& column = columns_[c];
        if (column.differs || (column.count > 0 && column.count < stored.rows)) return {c, column.number};
    }
    return {};
}

void refuse_small_numbers(std::string_view what, double number) {
    bad_file("{} are too small for float32, such as {}; scale them up", what, number);
}

void StoredMatrix::look_at(double value, float kept) {
    seen_ = std::abs(kept) >= least_magnitude;
    if (!seen_ && vanishes(value, kept)) number_ = value;
}

void StoredMatrix::require_visible(const std::string& file) const {
    if (!seen_ && number_ != 0) refuse_small_numbers(fmt::format("'{}': all numbers", file), number_);
}

}  // namespace dunlin::io
