// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dunlin::io {

using RawRow = std::vector<std::string_view>;

/// What a first row says about the columns of a list of edges.
struct EdgeHeader {
    bool found = false;      ///< it names the columns
    bool certain = false;    ///< by usual names, or by a column whose type differs in every row below
    bool ends = false;       ///< by names of both ends of an edge, in these columns
    bool usual = false;      ///< which are names of ends alone: not two columns of numbers, such as x1 and x2
    bool relations = false;  ///< by a column called relation or the like between the ends, which have other names
    std::size_t source = 0, target = 1;
};

/// Judges a first row by its words and by the rows below it. point: the decimal mark.
EdgeHeader judge_header(const RawRow& first, const std::vector<RawRow>& below, char point);

/// Sets `ends` and their columns by the usual names of both ends of an edge alone.
EdgeHeader named_ends(const RawRow& first, const std::vector<RawRow>& below, char point);

/// The digits of a whole number, which may be written as 2.0; empty for another text.
std::string_view whole_part(std::string_view raw, char point);

/// Whether a row has usual names of the two ends of an edge in these columns, such as "source" and "target".
bool are_usual_ends(const RawRow& row, std::size_t source, std::size_t target);

}  // namespace dunlin::io
