// SPDX-License-Identifier: Apache-2.0
#include "picture/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <dunlin/error.hpp>

#include "io/markup.hpp"
#include "math/at.hpp"
#include "picture/label_grid.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

constexpr int fine_bits = 7;  // of the cells in which the points of a group are counted
constexpr int fine_side = 1 << fine_bits;
constexpr std::size_t longest_name = 60;  // characters; of a longer one the beginning is drawn
constexpr float widest_line = 0.17F;      // of a group's name, of the page; wider ones are broken first
constexpr float largest_text = 0.045F;    // of the page: a smaller page has no names of groups
constexpr Index most_automatic = 60;      // points whose names are drawn unless the options say otherwise
constexpr std::size_t most_tried = 5000;
constexpr Index most_with_leaders = 300;
constexpr Offset most_edges_avoided = 200'000;

/// Number of points of each group in each cell of the plot.
std::vector<float> count(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const PixelRect& plot,
                         const Viewport& viewport) {
    const std::size_t size = groups.list.size() * fine_side * fine_side;
    std::vector<std::vector<float>> parts(at(cpu.threads()), std::vector<float>(size));
    cpu.blocks(std::ssize(flat.x), 65536, [&](Offset begin, Offset end, int worker) {
        const auto place = [](float pixel, float from, float length) {
            return std::clamp(static_cast<int>((pixel - from) / length * fine_side), 0, fine_side - 1);
        };
        for (Offset i = begin; i < end; ++i) {
            const int row = place(viewport.y(flat.y[at(i)]), plot.top, plot.height);
            const int column = place(viewport.x(flat.x[at(i)]), plot.left, plot.width);
            ++parts[at(worker)][(groups.group(i) * fine_side + at(row)) * fine_side + at(column)];
        }
    });
    for (std::size_t part = 1; part < parts.size(); ++part)
        std::transform(parts[part].begin(), parts[part].end(), parts[0].begin(), parts[0].begin(), std::plus<>());
    return std::move(parts[0]);
}

/// The grid of a group, as fine as its number of points asks for.
LabelGrid grid_of(std::span<const float> counts, Offset points) {
    const int shift = fine_bits - LabelGrid::bits_of(points, 2);
    LabelGrid grid(fine_side >> shift, 2);
    for (int row = 0; row < fine_side; ++row) {
        for (int column = 0; column < fine_side; ++column) {
            const float here = counts[at(row * fine_side + column)];
            if (here > 0) grid.add({column >> shift, row >> shift, 0}, here);
        }
    }
    return grid;
}

/// Mean of the points within two cells of a peak.
PixelPoint middle_near(const LabelGrid& grid, Index node, const PixelRect& plot) {
    const LabelGrid::Cell peak = grid.cell_of(node);
    float all = 0, x = 0, y = 0;
    for (Index row = std::max(peak[1] - 2, 0); row <= std::min(peak[1] + 2, grid.side() - 1); ++row) {
        for (Index column = std::max(peak[0] - 2, 0); column <= std::min(peak[0] + 2, grid.side() - 1); ++column) {
            const float here = grid.points({column, row, 0});
            all += here;
            x += here * (static_cast<float>(column) + 0.5F);
            y += here * (static_cast<float>(row) + 0.5F);
        }
    }
    const auto cells = static_cast<float>(grid.side());
    return {plot.left + x / all * plot.width / cells, plot.top + y / all * plot.height / cells};
}

/// The text, of which a long one is cut between characters.
std::string of_moderate_length(const std::string& text) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
        if (characters++ == longest_name) return text.substr(0, i) + "\xE2\x80\xA6";
    }
    return text;
}

/// Names of few points have room to be larger.
float size_of_names(const Page& page, Index n) {
    const float larger =
        std::clamp(std::sqrt(static_cast<float>(most_automatic) / static_cast<float>(std::max(n, 1))), 1.0F, 1.4F);
    return larger * std::max(9.0F, 0.011F * std::min(page.width, page.height));
}

/// Moves the points of options.name_these to the front; returns where the others begin.
std::vector<Index>::iterator put_wanted_first(std::vector<Index>& order, const std::vector<std::string>& ids,
                                              const Options& options) {
    if (options.name_these.empty()) return order.begin();
    std::unordered_map<std::string_view, std::size_t> wanted;
    for (std::size_t i = 0; i < options.name_these.size(); ++i) wanted.try_emplace(options.name_these[i], i);
    const auto rank_in = [&](const std::vector<std::string>& words, Index i) {
        const auto found = words.empty() ? wanted.end() : wanted.find(words[at(i)]);
        return found == wanted.end() ? wanted.size() : found->second;
    };
    const auto rank = [&](Index i) { return std::min(rank_in(ids, i), rank_in(options.item_names, i)); };
    const auto rest =
        std::stable_partition(order.begin(), order.end(), [&](Index i) { return rank(i) < wanted.size(); });
    std::stable_sort(order.begin(), rest, [&](Index a, Index b) { return rank(a) < rank(b); });
    return rest;
}

}  // namespace

std::vector<PlacedName> group_names(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Page& page,
                                    const Viewport& viewport) {
    std::vector<PlacedName> names;
    const bool has_room = page.text < largest_text * std::min(page.width, page.height);
    if (!groups.labeled() || groups.list.size() < 2 || !has_room) return names;
    std::vector<std::size_t> order(groups.list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return groups.list[a].count > groups.list[b].count; });
    const std::vector<float> counts = count(cpu, flat, groups, page.plot, viewport);
    const double least = least_named(static_cast<Index>(flat.x.size()));
    for (const std::size_t group : order) {
        const Group& named = groups.list[group];
        if (named.color == groups.look.shown(other_color) || groups.below == group ||
            static_cast<double>(named.count) < least)
            continue;
        const LabelGrid grid =
            grid_of({counts.data() + group * fine_side * fine_side, fine_side * fine_side}, named.count);
        for (const density::Prominence& peak : grid.peaks())
            names.push_back({named.name, middle_near(grid, peak.node, page.plot)});
    }
    return names;
}

void avoid_marks(TextPlacement& placement, const NamedMap& named, const Page& page) {
    const auto& [graph, flat, groups, ids, viewport, style, below] = named;
    MarkCells discs(page.width, page.height);
    const auto pixel = [&](std::size_t i) { return PixelPoint{viewport.x(flat.x[i]), viewport.y(flat.y[i])}; };
    for (std::size_t i = 0; i < flat.x.size(); ++i) discs.add_disc(pixel(i), style.diameter / 2);
    discs.sum();
    placement.avoid(std::move(discs));
    if (graph.edges() == 0 || graph.edges() / 2 > most_edges_avoided) return;
    MarkCells lines(page.width, page.height);
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
            const Index to = graph.targets[at(e)];
            if (v < to) lines.add_line(pixel(at(v)), pixel(at(to)));
        }
    }
    lines.sum();
    placement.prefer_free_of(std::move(lines));
}

void add_group_names(TextPlacement& placement, const Page& page, const std::vector<PlacedName>& names, float size) {
    for (const PlacedName& name : names) {
        const std::string text = of_moderate_length(name.text);
        std::vector<TextBlock> blocks;
        for (int lines = 1; lines <= 3; ++lines) {
            TextBlock block = block_of(broken(text, lines, size), size);
            const bool is_new = blocks.empty() || block.lines.size() > blocks.back().lines.size();
            if (!is_new) break;
            blocks.push_back(std::move(block));
        }
        while (blocks.size() > 1 && blocks.front().width > widest_line * page.width) blocks.erase(blocks.begin());
        placement.place_on(name.at, blocks, page.look.text, true);
    }
}

const std::vector<std::string>& shown_names(const Options& options, const std::vector<std::string>& ids) {
    return options.item_names.empty() ? ids : options.item_names;
}

std::vector<Index> order_of_names(const NamedMap& named, const Options& options) {
    const Graph& graph = named.graph;
    std::vector<Index> order(named.flat.x.size() - at(named.below));
    std::iota(order.begin(), order.end(), named.below);
    const auto rest = put_wanted_first(order, named.ids, options);
    if (options.names == "auto" && !options.name_these.empty()) {
        order.erase(rest, order.end());
        return order;
    }
    const auto kept = static_cast<std::size_t>(order.end() - rest);
    const auto tried = rest + static_cast<std::ptrdiff_t>(std::min(kept, most_tried));
    const auto largest_first = [&](const auto& value) {
        std::partial_sort(rest, tried, order.end(),
                          [&](Index a, Index b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
    };
    if (!options.name_ranks.empty()) {
        largest_first([&](Index v) {  // NaN, which no value is greater or less than, goes last
            const double rank = options.name_ranks[at(v)];
            return std::isnan(rank) ? -std::numeric_limits<double>::infinity() : rank;
        });
    } else if (graph.edges() > 0 && options.names_by != NamesBy::given) {
        largest_first([&](Index v) { return graph.offsets[at(v) + 1] - graph.offsets[at(v)]; });
    }
    order.erase(tried, order.end());
    return order;
}

Index most_names(const Options& options, Index n, bool has_ids) {
    if (options.names == "none") return 0;
    if (options.names == "all" || options.vertex_names) return n;
    if (options.names == "auto") {
        if (!options.name_these.empty()) return std::min(n, static_cast<Index>(options.name_these.size()));
        return has_ids && n <= most_automatic ? n : 0;
    }
    Index most = -1;
    const char* const end = options.names.data() + options.names.size();
    const auto [stop, fault] = std::from_chars(options.names.data(), end, most);
    if (fault != std::errc() || stop != end || most < 0) {
        throw Error(Fault::bad_input,
                    fmt::format("names: '{}'; use auto, all, none, or how many at most, such as 100", options.names),
                    {.option = "names"});
    }
    return std::min(most, n);
}

void add_point_names(TextPlacement& placement, const NamedMap& named, const Page& page, const Options& options,
                     Index most) {
    if (most <= 0) return;
    const auto& [graph, flat, groups, ids, viewport, style, below] = named;
    const float size = page.name_size > 0 ? page.name_size : size_of_names(page, static_cast<Index>(flat.x.size()));
    const bool leaders = options.leaders == Leaders::automatic && most <= most_with_leaders;
    const std::vector<std::string>& names = shown_names(options, ids);
    Index drawn = 0;
    for (const Index point : order_of_names(named, options)) {
        if (drawn == most) break;
        const std::string name = names.empty() ? std::to_string(point - below) : io::clean_text(names[at(point)]);
        if (name.empty()) continue;
        const PixelPoint center{viewport.x(flat.x[at(point)]), viewport.y(flat.y[at(point)])};
        const TextBlock block = block_of({of_moderate_length(name)}, size);
        drawn += placement.place_beside(center, style.diameter / 2, block, page.look.text, leaders) ? 1 : 0;
    }
}

}  // namespace dunlin::picture
