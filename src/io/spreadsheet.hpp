// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Cells that a spreadsheet would run as formulas, which a quote mark before them keeps texts.
namespace dunlin::io {

/// Whether writers of this thread put quote marks.
bool is_spreadsheet_safe();

/// Whether a cell begins with = + - @, a tab or CR, behind any number of quote marks: a text that has a quote mark of
/// its own gets another one, so that taking off one gives the text.
inline bool begins_as_formula(std::string_view cell) {
    const std::size_t first = cell.find_first_not_of('\'');
    return first != std::string_view::npos && std::string_view("=+-@\t\r").find(cell[first]) != std::string_view::npos;
}

/// Without the quote mark that is before such a text.
inline std::string_view without_guard(std::string_view cell) {
    return cell.starts_with('\'') && begins_as_formula(cell) ? cell.substr(1) : cell;
}

}  // namespace dunlin::io
