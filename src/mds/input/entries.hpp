// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/types.hpp>

/// Validation of dissimilarities.
namespace dunlin::mds {

constexpr float largest = 1e18F;    ///< its square is finite in float32
constexpr float smallest = 1e-15F;  ///< of the largest dissimilarity, unless all are 0: squares keep their digits

/// Describes what is wrong with a dissimilarity that must not be missing: "is -1; ..."; empty if it is valid.
std::string fault_of(float delta);

/// Describes what is wrong with entry (i, j) = a of a matrix whose entry (j, i) is b; both may be NaN (missing). Empty
/// if they are valid.
std::string fault_of_entry(Index i, Index j, float a, float b);

/// Throws Error{bad_input} with the text of fault_of_entry, if any.
void refuse_entry(Index i, Index j, float a, float b);

}  // namespace dunlin::mds
