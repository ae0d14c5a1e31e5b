// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace dunlin::picture {

struct PixelPoint {
    float x, y;
};

/// From `first` to before `last`.
struct PixelRange {
    int first, last;
    [[nodiscard]] int size() const { return last - first; }
};

/// How much of each pixel of some rows straight strokes of one width cover, summed up. A stroke is walked along the
/// axis that it follows more closely, and covers a few pixels across at each step, as much of each as lies within its
/// width. Steep strokes are summed row by row and the others column by column: what a step covers lies side by side.
class LineCoverage {
public:
    LineCoverage(int columns, PixelRange rows, float width);

    /// Adds `weight` times the cover, 0 to 1, of the stroke from a to b.
    void draw(PixelPoint a, PixelPoint b, float weight);

    /// The sum at a pixel.
    [[nodiscard]] float at(int x, int y) const { return *steep_.sum(y, x) + *flat_.sum(x, y); }

private:
    /// The sums, step after step; beyond the pixels of each lie as many as a step may touch.
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

/// A walk of `steps` steps past `pixels` pixels across: at step k the middle of the stroke lies at middle + k slope.
struct LineWalk {
    float middle, slope;
    int steps, pixels;
};

/// Adds to the pixels of each step of the walk what the stroke covers of them. sums: of pixel 0 at the first step, the
/// next step's `stride` further; `lanes` of them, a multiple of 4, are as many as a step may touch, and may lie before
/// or beyond its pixels.
void cover(const LineWalk& walk, float width, float weight, int lanes, float* sums, std::ptrdiff_t stride);

}  // namespace dunlin::picture
