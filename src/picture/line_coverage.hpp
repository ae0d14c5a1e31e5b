// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace dunlin::picture {

struct PixelPoint {
    float x, y;
};

/// The pixels [first, last).
struct PixelRange {
    int first, last;
    [[nodiscard]] int size() const { return last - first; }
};

/// Sums of the pixel coverage of antialiased lines of one width, for some rows. A line is traversed along its major
/// axis; at each step it covers a few pixels across, each by the part within its width. Steep lines are summed in
/// row-major and others in column-major order, so that the pixels of a step are contiguous.
class LineCoverage {
public:
    LineCoverage(int columns, PixelRange rows, float width);

    /// Adds `weight` times the coverage (0 to 1) of the line from a to b.
    void draw(PixelPoint a, PixelPoint b, float weight);

    /// The sum at a pixel.
    [[nodiscard]] float at(int x, int y) const { return *steep_.sum(y, x) + *flat_.sum(x, y); }

private:
    /// The sums of each step, with a margin of as many pixels as a step can touch.
    struct Plane {
        PixelRange along, across;
        int margin;
        std::vector<float> sums;

        Plane(PixelRange steps, PixelRange pixels, int beyond);
        [[nodiscard]] std::ptrdiff_t stride() const { return across.size() + std::ptrdiff_t{2} * margin; }
        [[nodiscard]] const float* sum(int step, int pixel) const {
            return sums.data() + (step - along.first) * stride() + margin + (pixel - across.first);
        }
        [[nodiscard]] float* sum(int step, int pixel) {
            return sums.data() + (step - along.first) * stride() + margin + (pixel - across.first);
        }
    };

    float width_;
    Plane steep_, flat_;
};

/// Traversal of a line: `steps` steps with `pixels` pixels across; at step k the center is at middle + k slope.
struct LineWalk {
    float middle, slope;
    int steps, pixels;
};

/// Adds the coverage of a line to the pixels of each step. sums: pixel 0 of the first step; steps are `stride` apart.
/// `lanes`, a multiple of 4: number of pixels that a step can touch, also in the margins before and after its pixels.
void cover(const LineWalk& walk, float width, float weight, int lanes, float* sums, std::ptrdiff_t stride);

}  // namespace dunlin::picture
