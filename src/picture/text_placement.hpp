// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture/mark_cells.hpp"
#include "picture/page.hpp"

namespace dunlin::picture {

/// A text in one or more lines of one size, centered above each other.
struct TextBlock {
    std::vector<std::string> lines;
    float size = 0, width = 0, height = 0;
};

TextBlock block_of(std::vector<std::string> lines, float size);

/// Places names on a page, one after another, so that no two touch, none leaves the page, and none covers its title,
/// legend or scale. What has no place is not drawn. Greedy and without random numbers; a name tries at most 40 places,
/// and neighbors are found by a grid.
class TextPlacement {
public:
    /// Texts, swatches and the bar that the page has now are obstacles. Names are added to it.
    explicit TextPlacement(Page& page);

    /// Marks that names beside points must not cover (discs), and that they cover as little as they can (lines).
    void avoid(MarkCells discs) { discs_ = std::move(discs); }
    void prefer_free_of(MarkCells lines) { lines_ = std::move(lines); }

    /// On a point: the first block that has room with its middle there; with `leader` beside it if it would hide a
    /// third of the discs thereabouts and there is a place without any; else, with `leader`, the last one up to six
    /// sizes away, joined to the point by a line.
    bool place_on(PixelPoint point, const std::vector<TextBlock>& blocks, Color color, bool leader);
    /// Beside a disc: right, upper right, lower right, above, below, left, upper left, lower left, or between these;
    /// else, with `leader`, in the eight directions one to three steps farther.
    bool place_beside(PixelPoint center, float radius, const TextBlock& block, Color color, bool leader);

private:
    struct NamePlace {
        PixelRect box;
        std::optional<std::pair<PixelPoint, PixelPoint>> leader = {};
    };

    [[nodiscard]] bool has_room(const PixelRect& box, bool on_points) const;
    [[nodiscard]] bool may_lead(PixelPoint a, PixelPoint b) const;
    [[nodiscard]] std::optional<NamePlace> place_around(PixelPoint center, float radius, const TextBlock& block,
                                                        int ring, bool on_points, float without_leader) const;
    [[nodiscard]] bool hides_marks(const PixelRect& box, float size) const;
    [[nodiscard]] std::optional<NamePlace> place_near(PixelPoint point, const TextBlock& block, bool on_points) const;
    void take(const NamePlace& place, const TextBlock& block, Color color);
    void occupy(const PixelRect& box);
    template <class Use>
    bool any_near(const PixelRect& box, const Use& use) const;

    Page& page_;
    std::optional<MarkCells> discs_, lines_;
    std::vector<PixelRect> boxes_;
    std::vector<std::vector<std::uint32_t>> near_;  ///< boxes by cells of the page
    int columns_, rows_;
    std::vector<std::pair<PixelPoint, PixelPoint>> leaders_;
};

}  // namespace dunlin::picture
