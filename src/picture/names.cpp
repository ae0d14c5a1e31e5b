// SPDX-License-Identifier: Apache-2.0
#include "picture/names.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/markup.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

constexpr int side = 32;  // of the grid in which the points of a group are counted

struct LabelPosition {
    float x = 0, y = 0;
};

/// Number of points of each group in each cell.
using Counts = std::vector<Offset>;

std::size_t cell_of(std::size_t group, int row, int column) {
    return (group * side + static_cast<std::size_t>(row)) * side + static_cast<std::size_t>(column);
}

Counts count(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const PixelRect& plot,
             const Viewport& viewport) {
    const std::size_t size = groups.list.size() * side * side;
    std::vector<Counts> parts(static_cast<std::size_t>(cpu.threads()), Counts(size));
    cpu.blocks(static_cast<Offset>(flat.x.size()), 65536, [&](Offset begin, Offset end, int worker) {
        const auto place = [](float at, float from, float length) {
            return std::clamp(static_cast<int>((at - from) / length * side), 0, side - 1);
        };
        for (Offset i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int row = place(viewport.y(flat.y[at]), plot.top, plot.height);
            const int column = place(viewport.x(flat.x[at]), plot.left, plot.width);
            ++parts[static_cast<std::size_t>(worker)][cell_of(groups.group(i), row, column)];
        }
    });
    Counts counts(size);
    for (const Counts& part : parts)
        std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus<>());
    return counts;
}

/// Centroid of the points in the square of 5 x 5 cells that has the most points of a group.
LabelPosition densest_place(const Counts& counts, std::size_t group, const PixelRect& plot) {
    Offset most = 0;
    LabelPosition best;
    for (int row = 2; row < side - 2; ++row) {
        for (int column = 2; column < side - 2; ++column) {
            Offset sum = 0;
            float x = 0, y = 0;
            for (int cell = 0; cell < 25; ++cell) {
                const int r = row + cell / 5 - 2, c = column + cell % 5 - 2;
                const Offset here = counts[cell_of(group, r, c)];
                sum += here;
                x += static_cast<float>(here) * (static_cast<float>(c) + 0.5F);
                y += static_cast<float>(here) * (static_cast<float>(r) + 0.5F);
            }
            if (sum <= most) continue;
            most = sum;
            best = {plot.left + x / static_cast<float>(sum) * plot.width / side,
                    plot.top + y / static_cast<float>(sum) * plot.height / side};
        }
    }
    return best;
}

}  // namespace

bool touch(const TextLine& a, const TextLine& b) {
    const float gap = 0.3F * a.size;
    return a.x < b.x + text_width(b.text, b.size) + gap && b.x < a.x + text_width(a.text, a.size) + gap &&
           std::abs(a.y - b.y) < a.size + gap;
}

std::vector<TextLine> names_of(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Page& page,
                               const Viewport& viewport) {
    std::vector<TextLine> names;
    if (page.swatches.empty() || groups.list.size() < 2) return names;
    std::vector<std::size_t> order(groups.list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return groups.list[a].count > groups.list[b].count; });

    const Counts counts = count(cpu, flat, groups, page.plot, viewport);
    // Digits and letters can be large; words would hide their points
    const bool words = std::any_of(groups.list.begin(), groups.list.end(),
                                   [](const Group& g) { return g.color != other_color && g.name.size() > 3; });
    const float size = (words ? 1.2F : 1.6F) * page.lines.back().size;
    for (const std::size_t group : order) {
        if (groups.list[group].color == other_color) continue;
        const LabelPosition place = densest_place(counts, group, page.plot);
        TextLine name{shortened(groups.list[group].name, size, 0.17F * page.width),
                      0,
                      place.y + 0.36F * size,
                      size,
                      text_color,
                      true};
        const float width = text_width(name.text, size);
        name.x = std::clamp(place.x - width / 2, 2.0F, page.width - width - 2);
        if (std::none_of(names.begin(), names.end(), [&](const TextLine& before) { return touch(before, name); }))
            names.push_back(name);
    }
    return names;
}

std::vector<TextLine> vertex_names(const Graph& graph, const FlatMap& flat, const std::vector<std::string>& ids,
                                   const Page& page, const Viewport& viewport, const Style& style) {
    constexpr std::size_t max_tried = 5000;
    const auto degree = [&](Index v) {
        const auto at = static_cast<std::size_t>(v);
        return graph.offsets[at + 1] - graph.offsets[at];
    };
    std::vector<Index> order(flat.x.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto tried = order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), max_tried));
    std::partial_sort(order.begin(), tried, order.end(),
                      [&](Index a, Index b) { return degree(a) != degree(b) ? degree(a) > degree(b) : a < b; });
    const float size = std::max(9.0F, 0.011F * std::min(page.width, page.height));
    std::vector<TextLine> names;
    std::vector<PixelRect> taken;
    for (auto v = order.begin(); v != tried; ++v) {
        const auto at = static_cast<std::size_t>(*v);
        const std::string text =
            shortened(io::clean_text(ids.empty() ? std::to_string(*v) : ids[at]), size, 0.2F * page.width);
        const float x = viewport.x(flat.x[at]) + style.diameter / 2 + 0.2F * size, y = viewport.y(flat.y[at]);
        const PixelRect box{x, y - 0.6F * size, text_width(text, size), 1.2F * size};
        if (box.left + box.width > page.width || std::any_of(taken.begin(), taken.end(), [&](const PixelRect& other) {
                return box.left < other.left + other.width && other.left < box.left + box.width &&
                       box.top < other.top + other.height && other.top < box.top + box.height;
            }))
            continue;
        taken.push_back(box);
        names.push_back({text, x, y + 0.36F * size, size, text_color, true});
    }
    return names;
}

}  // namespace dunlin::picture
