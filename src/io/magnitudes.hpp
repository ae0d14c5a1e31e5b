// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Numbers that are too small for float32.
namespace dunlin::io {

/// The least magnitude of which float32 keeps 16 bits, as of what varies in a column far from zero.
inline constexpr float least_magnitude = 0x1p-133F;

/// Whether what is stored of a number has lost more.
inline bool vanishes(double number, float stored) {
    return std::abs(stored) < least_magnitude &&
           std::abs(number - static_cast<double>(stored)) > 0x1p-16 * std::abs(number);
}

/// The columns that have a number other than 0, but none that float32 holds.
class VanishedColumns {
public:
    explicit VanishedColumns(std::size_t columns);

    /// Looks at a row: the numbers less the shift (null: none), and what is stored of them.
    void look_at(const double* row, const double* shift, const float* stored);

    /// Such a column, and one of its numbers; the number 0: there is none. only_all: none if another column is seen.
    struct VanishedNumber {
        std::size_t column = 0;
        double number = 0;
    };
    [[nodiscard]] VanishedNumber found(bool only_all = false) const;

private:
    std::vector<std::size_t> unseen_;  ///< columns without a number that float32 holds, ascending
    std::vector<double> numbers_;      ///< of each column, a number that vanishes; 0: none
};

/// Throws Error{bad_file}: what (of a file) are all too small, such as this number.
[[noreturn]] void refuse_small_numbers(std::string_view what, double number);

/// Numbers of a matrix that are stored one by one.
class StoredMatrix {
public:
    float stored(double value) {
        const auto kept = static_cast<float>(value);
        if (!seen_) look_at(value, kept);
        return kept;
    }
    /// Throws Error{bad_file} if all vanish that are not 0.
    void require_visible(const std::string& file) const;

private:
    void look_at(double value, float kept);

    bool seen_ = false;
    double number_ = 0;
};

}  // namespace dunlin::io
