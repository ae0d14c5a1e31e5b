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

/// From figure_size, dpi and font_size, or width and height. Throws Error{bad_input}.
Paper paper_of(const Options& options);

}  // namespace dunlin::picture
