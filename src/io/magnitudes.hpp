// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/types.hpp>

/// Numbers that are too small for float32.
namespace dunlin::io {

/// The least magnitude of which float32 keeps 16 bits, as of what varies in a column far from zero.
inline constexpr float least_magnitude = 0x1p-133F;

/// Negative for a number other than 0 of which float32 may keep less, else not, by its bits: a loop over numbers is
/// vectorized.
inline std::int64_t tiny_sign(double number) {
    constexpr auto least = std::bit_cast<std::int64_t>(static_cast<double>(least_magnitude));
    const std::int64_t magnitude = std::bit_cast<std::int64_t>(number) & 0x7fffffffffffffff;
    return (magnitude - least) & ~(magnitude - 1);
}

inline bool is_tiny(double number) { return tiny_sign(number) < 0; }

/// Whether what is stored of a number has lost more.
inline bool vanishes(double number, float stored) {
    return is_tiny(number) && std::abs(number - static_cast<double>(stored)) > 0x1p-16 * std::abs(number);
}

/// Columns with numbers that vanish.
class VanishedColumns {
public:
    /// Looks at a row that has tiny numbers: its numbers less the shift (null: none), and what is stored of them.
    void look_at(const double* row, const double* shift, std::span<const float> stored);

    /// A column whose numbers differ, while none is stored but as 0; and one of them. The number 0: there is none.
    /// only_all: none if another column has numbers.
    struct VanishedNumber {
        std::size_t column = 0;
        double number = 0;
    };
    [[nodiscard]] VanishedNumber found(MatrixView<const float> stored, bool only_all = false) const;

private:
    struct Column {
        double number = 0;  ///< the first that vanishes; 0: none does
        Offset count = 0;
        bool differs = false;
    };
    std::vector<Column> columns_;  ///< empty: no number vanishes
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
