// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/layout.hpp>

namespace dunlin::layout {

/// Checks the options and resolves every default for a connected graph of n vertices on that device. Throws
/// Error{bad_input}.
Options resolve(Options options, Index n, Device where);

/// Resolves only defaults that do not depend on the number of vertices.
Options resolve_by_list(Options options);

}  // namespace dunlin::layout
