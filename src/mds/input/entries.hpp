// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/types.hpp>

/// What a dissimilarity may be.
namespace dunlin::mds {

constexpr float largest = 1e18F;  ///< whose square float32 holds

/// What is wrong with a number that must be one: "is -1; ..."; empty: nothing.
std::string fault_of(float delta);

/// What is wrong with an entry (i, j) of a matrix of dissimilarities whose opposite entry is b; both may be NaN.
std::string fault_of_entry(Index i, Index j, float a, float b);

/// Throws Error{bad_input} if something is.
void refuse_entry(Index i, Index j, float a, float b);

}  // namespace dunlin::mds
