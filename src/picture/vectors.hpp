// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "colors/contrast.hpp"
#include "picture/formats.hpp"

/// What SVG and PDF contain of a drawing as vectors, and what as an image.
namespace dunlin::picture {

/// A circle within the edge of a disc; width 0: none.
struct Rim {
    float width = 0;
    Color color = {};
};

/// A point on the page.
struct Disc {
    PixelPoint center;
    Color color;
    float diameter, alpha;
    Rim rim = {};
};
Disc disc_of(const Drawing& drawing, Index point);
/// The disc of an entry of the legend.
Disc disc_of(const Swatch& swatch, const Page& page);

/// Calls visit(from, to), the ends of each edge, in the order of the graph.
void for_edges(const Drawing& drawing, const auto& visit) {
    for (Index v = 0; v < drawing.graph.size(); ++v) {
        const auto from = static_cast<std::size_t>(v);
        for (Offset e = drawing.graph.offsets[from]; e < drawing.graph.offsets[from + 1]; ++e) {
            const Index u = drawing.graph.targets[static_cast<std::size_t>(e)];
            if (u >= v) visit(v, u);
        }
    }
}

/// A pseudorandom order of the points, so that later labels of the file do not hide earlier ones. Points below the
/// others are first.
std::vector<Index> drawing_order(const Drawing& drawing);

/// Whether points and edges are vectors. More would make viewers slow and files large.
struct VectorParts {
    bool points, edges;
};
VectorParts vectors_of(const Drawing& drawing);

/// An image in a box of the page.
struct PlacedImage {
    Image image;
    PixelRect box;
};
/// The points or edges that are not vectors; none: all are. A pixel of a picture with a size in print is one of its
/// dpi; else the image has twice the resolution of the page.
std::optional<PlacedImage> image_of(device::Cpu& cpu, const Drawing& drawing);

}  // namespace dunlin::picture
