// SPDX-License-Identifier: Apache-2.0
#include "picture/text_placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/orientation.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

constexpr float cell = 64;                        // pixels, of the grid of boxes
constexpr float between = 2;                      // pixels, of two names, and of a name and the border
constexpr float ascent = 0.77F, descent = 0.24F;  // of DejaVu Sans, in sizes
constexpr float line_gap = 0.16F;                 // sizes between the lines of a name
constexpr float beside = 0.25F;                   // sizes between a disc and its name
constexpr float ring_step = 1.2F;                 // sizes
constexpr int beside_rings = 3;                   // of names of points
constexpr int on_rings = 5;                       // of names of groups: six sizes
/// A nearer name needs no leader, in sizes: one beside its disc, and one amid the points of a group.
constexpr float shortest_leader = 1, shortest_leader_on = 2;
constexpr float hidden_around = 2;  // sizes around a name, which hides marks if it covers a third of those in there

/// Where a name stands: a step from the disc's center, and the part of the box that is to the left of and above it.
struct NameSide {
    float x, y;
    float left, above;
};

constexpr float diagonal = 0.70710678F;
/// Right, upper right, lower right, above, below, left, upper left, lower left, then what lies between.
constexpr std::array<NameSide, 16> sides{{{1, 0, 0, 0.5F},
                                          {diagonal, -diagonal, 0, 1},
                                          {diagonal, diagonal, 0, 0},
                                          {0, -1, 0.5F, 1},
                                          {0, 1, 0.5F, 0},
                                          {-1, 0, 1, 0.5F},
                                          {-diagonal, -diagonal, 1, 1},
                                          {-diagonal, diagonal, 1, 0},
                                          {1, 0, 0, 0.8F},
                                          {1, 0, 0, 0.2F},
                                          {0, -1, 0.2F, 1},
                                          {0, 1, 0.2F, 0},
                                          {0, -1, 0.8F, 1},
                                          {0, 1, 0.8F, 0},
                                          {-1, 0, 1, 0.8F},
                                          {-1, 0, 1, 0.2F}}};
constexpr std::size_t far_sides = 8;  // of rings with leaders

bool overlap(const PixelRect& a, const PixelRect& b) {
    return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height &&
           b.top < a.top + a.height;
}

PixelRect widened(const PixelRect& box, float by) {
    return {box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by};
}

bool turns_left(PixelPoint a, PixelPoint b, PixelPoint c) {
    return math::orientation(static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(b.x),
                             static_cast<double>(b.y), static_cast<double>(c.x), static_cast<double>(c.y)) > 0;
}

bool cross(PixelPoint a, PixelPoint b, PixelPoint c, PixelPoint d) {
    return turns_left(a, b, c) != turns_left(a, b, d) && turns_left(c, d, a) != turns_left(c, d, b);
}

/// Whether a line from a to b has a part within the box (Liang and Barsky 1984).
bool crosses(const PixelRect& box, PixelPoint a, PixelPoint b) {
    float from = 0, to = 1;
    const auto clip = [&](float start, float step, float low, float high) {
        if (step == 0) return start > low && start < high;
        const float first = (low - start) / step, second = (high - start) / step;
        from = std::max(from, std::min(first, second));
        to = std::min(to, std::max(first, second));
        return from < to;
    };
    return clip(a.x, b.x - a.x, box.left, box.left + box.width) && clip(a.y, b.y - a.y, box.top, box.top + box.height);
}

/// The box of a text, from the top of its highest letters to its descenders.
PixelRect box_of(const TextLine& line) {
    return {line.x, line.y - ascent * line.size, text_width(line.text, line.size), (ascent + descent) * line.size};
}

PixelRect around(PixelPoint middle, const TextBlock& block) {
    return {middle.x - block.width / 2, middle.y - block.height / 2, block.width, block.height};
}

/// The block beside a disc of this radius.
PixelRect beside_disc(PixelPoint center, float radius, const NameSide& side, const TextBlock& block) {
    return {center.x + radius * side.x - side.left * block.width,
            center.y + radius * side.y - side.above * block.height, block.width, block.height};
}

PixelPoint nearest_of(const PixelRect& box, PixelPoint to) {
    return {std::clamp(to.x, box.left, box.left + box.width), std::clamp(to.y, box.top, box.top + box.height)};
}

}  // namespace

TextBlock block_of(std::vector<std::string> lines, float size) {
    TextBlock block{std::move(lines), size, 0, 0};
    for (const std::string& line : block.lines) block.width = std::max(block.width, text_width(line, size));
    const auto count = static_cast<float>(block.lines.size());
    block.height = size * (count * (ascent + descent) + (count - 1) * line_gap);
    return block;
}

TextPlacement::TextPlacement(Page& page)
    : page_(page), columns_(static_cast<int>(page.width / cell) + 1), rows_(static_cast<int>(page.height / cell) + 1) {
    near_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
    for (const TextLine& line : page.lines) occupy(box_of(line));
    for (const Swatch& swatch : page.swatches)
        occupy({swatch.x - swatch.radius, swatch.y - swatch.radius, 2 * swatch.radius, 2 * swatch.radius});
    if (!page.bar.colors.empty()) occupy(page.bar.box);
}

/// Calls use(number) for the cells that a box touches, until one is true.
template <class Use>
bool TextPlacement::any_near(const PixelRect& box, const Use& use) const {
    const auto at = [](float pixel, int cells) { return std::clamp(static_cast<int>(pixel / cell), 0, cells - 1); };
    for (int row = at(box.top, rows_); row <= at(box.top + box.height, rows_); ++row) {
        for (int column = at(box.left, columns_); column <= at(box.left + box.width, columns_); ++column) {
            if (use(static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(column)))
                return true;
        }
    }
    return false;
}

void TextPlacement::occupy(const PixelRect& box) {
    any_near(box, [&](std::size_t number) {
        near_[number].push_back(static_cast<std::uint32_t>(boxes_.size()));
        return false;
    });
    boxes_.push_back(box);
}

bool TextPlacement::has_room(const PixelRect& box, bool on_points) const {
    const PixelRect wide = widened(box, between);
    if (wide.left < 0 || wide.top < 0 || wide.left + wide.width > page_.width || wide.top + wide.height > page_.height)
        return false;
    if (!on_points && discs_ && discs_->count(box) > 0) return false;
    const auto meets = [&](std::uint32_t other) { return overlap(boxes_[other], wide); };
    if (any_near(wide, [&](std::size_t n) { return std::any_of(near_[n].begin(), near_[n].end(), meets); }))
        return false;
    return std::none_of(leaders_.begin(), leaders_.end(),
                        [&](const auto& line) { return crosses(wide, line.first, line.second); });
}

bool TextPlacement::may_lead(PixelPoint a, PixelPoint b) const {
    const PixelRect box{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
    const auto meets = [&](std::uint32_t other) { return crosses(boxes_[other], a, b); };
    if (any_near(box, [&](std::size_t n) { return std::any_of(near_[n].begin(), near_[n].end(), meets); }))
        return false;
    return std::none_of(leaders_.begin(), leaders_.end(),
                        [&](const auto& line) { return cross(a, b, line.first, line.second); });
}

/// The place of this ring that covers the fewest lines, the first of equal ones.
std::optional<TextPlacement::NamePlace> TextPlacement::place_around(PixelPoint center, float radius,
                                                                    const TextBlock& block, int ring, bool on_points,
                                                                    float without_leader) const {
    std::optional<NamePlace> best;
    std::int64_t fewest = 0;
    const float far = radius + (beside + ring_step * static_cast<float>(ring)) * block.size;
    for (std::size_t number = 0; number < (ring == 0 ? sides.size() : far_sides); ++number) {
        NamePlace place{beside_disc(center, far, sides[number], block)};
        const PixelPoint end = nearest_of(place.box, center);
        const float away = std::hypot(end.x - center.x, end.y - center.y);
        if (away - radius > without_leader * block.size) {
            const float rim = radius / away;
            place.leader = {{center.x + rim * (end.x - center.x), center.y + rim * (end.y - center.y)}, end};
        }
        const std::int64_t covered = lines_ ? lines_->count(place.box) : 0;
        if (best && covered >= fewest) continue;
        if (!has_room(place.box, on_points)) continue;
        if (place.leader && !may_lead(place.leader->first, place.leader->second)) continue;
        best = place, fewest = covered;
        if (covered == 0) break;
    }
    return best;
}

bool TextPlacement::hides_marks(const PixelRect& box, float size) const {
    return discs_ && 3 * discs_->count(box) > discs_->count(widened(box, hidden_around * size));
}

std::optional<TextPlacement::NamePlace> TextPlacement::place_near(PixelPoint point, const TextBlock& block,
                                                                  bool on_points) const {
    for (int ring = 0; ring < on_rings; ++ring) {
        if (const auto place = place_around(point, 0, block, ring, on_points, shortest_leader_on)) return place;
    }
    return {};
}

bool TextPlacement::place_on(PixelPoint point, const std::vector<TextBlock>& blocks, Color color, bool leader) {
    for (const TextBlock& block : blocks) {
        PixelRect box = around(point, block);
        box.left = std::clamp(box.left, between, std::max(between, page_.width - block.width - between));
        if (!has_room(box, true)) continue;
        const auto beside = leader && hides_marks(box, block.size) ? place_near(point, block, false) : std::nullopt;
        take(beside ? *beside : NamePlace{box}, block, color);
        return true;
    }
    const auto place = leader ? place_near(point, blocks.back(), true) : std::nullopt;
    if (place) take(*place, blocks.back(), color);
    return place.has_value();
}

bool TextPlacement::place_beside(PixelPoint center, float radius, const TextBlock& block, Color color, bool leader) {
    for (int ring = 0; ring <= (leader ? beside_rings : 0); ++ring) {
        if (const auto place = place_around(center, radius, block, ring, false, shortest_leader)) {
            take(*place, block, color);
            return true;
        }
    }
    return false;
}

void TextPlacement::take(const NamePlace& place, const TextBlock& block, Color color) {
    occupy(place.box);
    if (place.leader) {
        leaders_.push_back(*place.leader);
        page_.strokes.push_back({{place.leader->first, place.leader->second}, page_.look.faint, 0.08F * block.size});
    }
    for (std::size_t line = 0; line < block.lines.size(); ++line) {
        const float width = text_width(block.lines[line], block.size);
        const float above = static_cast<float>(line) * (ascent + descent + line_gap);
        page_.lines.push_back({block.lines[line], place.box.left + (block.width - width) / 2,
                               place.box.top + (above + ascent) * block.size, block.size, color, true});
    }
}

}  // namespace dunlin::picture
