// SPDX-License-Identifier: Apache-2.0
#include "io/magnitudes.hpp"

#include <algorithm>
#include <numeric>

#include "io/fail.hpp"

namespace dunlin::io {

VanishedColumns::VanishedColumns(std::size_t columns) : unseen_(columns), numbers_(columns) {
    std::iota(unseen_.begin(), unseen_.end(), std::size_t{0});
}

void VanishedColumns::look_at(const double* row, const double* shift, const float* stored) {
    if (unseen_.empty()) return;
    std::erase_if(unseen_, [&](std::size_t c) {
        if (std::abs(stored[c]) >= least_magnitude) return true;
        if (vanishes(row[c] - (shift == nullptr ? 0 : shift[c]), stored[c])) numbers_[c] = row[c];
        return false;
    });
}

VanishedColumns::VanishedNumber VanishedColumns::found(bool only_all) const {
    if (only_all && unseen_.size() < numbers_.size()) return {};
    const auto vanished =
        std::find_if(unseen_.begin(), unseen_.end(), [this](std::size_t c) { return numbers_[c] != 0; });
    return vanished == unseen_.end() ? VanishedNumber{} : VanishedNumber{*vanished, numbers_[*vanished]};
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
