// SPDX-License-Identifier: Apache-2.0
#include "mds/input/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::mds {

std::string fault_of(float delta) {
    if (delta >= 0 && delta <= largest) return "";
    if (delta < 0) return fmt::format("is {}; dissimilarities must be at least 0", delta);
    if (std::isnan(delta)) return "is not a number";
    return fmt::format("is {}; dissimilarities must be at most 1e18: divide them", delta);
}

std::string fault_of_entry(Index i, Index j, float a, float b) {
    if (i == j) {
        if (a == 0 || std::isnan(a)) return "";
        return fmt::format("is {}; an item's dissimilarity to itself must be 0", a);
    }
    if (std::isnan(a) && std::isnan(b)) return "";
    if (std::isnan(a) != std::isnan(b)) {
        return fmt::format("is {} and ({}, {}) is {}; a missing pair must be missing both ways", a, j, i, b);
    }
    if (const std::string fault = fault_of(a); !fault.empty()) return fault;
    if (std::abs(a - b) > 1e-5F * std::max(std::abs(a), std::abs(b))) {
        const char* const remedy =
            a == 0 || b == 0 ? "if one half is empty, add the transpose" : "take the mean of both";
        return fmt::format("is {} and ({}, {}) is {}; dissimilarities must be symmetric: {}", a, j, i, b, remedy);
    }
    return "";
}

void refuse_entry(Index i, Index j, float a, float b) {
    const std::string fault = fault_of_entry(i, j, a, b);
    if (fault.empty()) return;
    throw Error(Fault::bad_input, fmt::format("entry ({}, {}) of the matrix {}; rows count from 0", i, j, fault),
                {.row = i, .column = j});
}

}  // namespace dunlin::mds
