// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dunlin::io {

/// Whether the names of the columns of both ends are nouns for two kinds of things, such as author and paper. The names
/// of two roles of one kind, such as parent and child, or user and friend, are none.
bool are_two_kinds(std::string_view source, std::string_view target);

}  // namespace dunlin::io
