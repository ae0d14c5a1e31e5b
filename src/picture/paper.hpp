// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/picture.hpp>

namespace dunlin::picture {

/// The size of a picture, on screen and in print.
struct Paper {
    double width = 0, height = 0;  ///< pixels; of a length not always whole
    double dpi = 96;               ///< pixels per inch
    bool is_printed = false;       ///< the size is a length, or dpi is given: the files have a size in print
    float text = 0;                ///< size of text, pixels; 0: from the size of the picture

    [[nodiscard]] double points(double pixels) const { return 72 * pixels / dpi; }
    [[nodiscard]] double millimeters(double pixels) const { return 25.4 * pixels / dpi; }
};

/// From figure_size, dpi and font_size, or width and height. Of several panels, width and height are those of one, and
/// figure_size is that of all, of which a single length is the width. Throws Error{bad_input}.
Paper paper_of(const Options& options, int columns = 1, int rows = 1);

}  // namespace dunlin::picture
