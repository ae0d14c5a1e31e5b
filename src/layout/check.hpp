// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/layout.hpp>

namespace dunlin::layout {

/// Throws Error{bad_input} unless the optional inputs fit a graph of n vertices.
void check_given(const Given& given, Index n);

}  // namespace dunlin::layout
