// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <dunlin/group_tree.hpp>

namespace dunlin::python {

/// The tree of its arrays, as GroupTree of Python has them, with its names if it has any.
GroupTree tree_from(const nanobind::dict& arrays);

}  // namespace dunlin::python
