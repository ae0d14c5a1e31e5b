// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/bytes.hpp"

namespace dunlin::io {

/// A label and its color.
using LabelAndColor = std::pair<std::string, std::string>;

/// Rows of a label and a color such as #1a2b3c, with a comma, semicolon or tab between them. The first row may be a
/// header. Throws Error{bad_file} for another row, and for a label that has two colors.
std::vector<LabelAndColor> read_label_colors(const Bytes& bytes);

}  // namespace dunlin::io
