#pragma once

#include <dunlin/layout.hpp>

namespace dunlin::layout {

/// Checks the options and settles every rule for a graph of n vertices. Throws Error{bad_input}.
Options resolve(Options options, Index n);

}  // namespace dunlin::layout
