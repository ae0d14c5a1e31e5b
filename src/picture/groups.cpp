// SPDX-License-Identifier: Apache-2.0
#include "picture/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/labels.hpp>

#include "io/markup.hpp"
#include "math/at.hpp"
#include "picture/palettes.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

/// Points of each label; those without one are not counted.
std::vector<Offset> count_labels(const Labels& labels, Index n) {
    if (labels.of.size() != static_cast<std::size_t>(n)) {
        throw Error(Fault::bad_input,
                    fmt::format("picture: the map has {} points and there are {} labels; give a label for "
                                "every point, or none",
                                n, labels.of.size()));
    }
    std::vector<Offset> counts(labels.names.size());
    for (std::size_t i = 0; i < labels.of.size(); ++i) {
        const Index label = labels.of[i];
        if (label == no_label) continue;
        if (label < 0 || static_cast<std::size_t>(label) >= counts.size()) {
            throw Error(Fault::bad_input,
                        fmt::format("picture: point {} has label {}, and there are {} names of labels", i, label,
                                    counts.size()));
        }
        ++counts[static_cast<std::size_t>(label)];
    }
    return counts;
}

/// The colors that the options give to labels by their names; none for the others.
std::vector<std::optional<Color>> own_colors_of(const Labels& labels, const Options& options) {
    std::map<std::string_view, Color> by_name;
    for (const LabelColor& each : options.colors)
        if (!each.label.empty()) by_name[each.label] = color_named(each.color).value_or(other_color);
    std::vector<std::optional<Color>> own(labels.names.size());
    for (std::size_t label = 0; label < own.size(); ++label) {
        if (const auto found = by_name.find(labels.names[label]); found != by_name.end()) own[label] = found->second;
    }
    return own;
}

/// Labels with a color, ascending: all, if `most` are enough, else those with their own and the largest.
std::vector<std::size_t> labels_to_keep(const std::vector<Offset>& counts, const std::vector<std::optional<Color>>& own,
                                        std::size_t most) {
    std::vector<std::size_t> kept;
    for (std::size_t label = 0; label < counts.size(); ++label) {
        if (counts[label] > 0) kept.push_back(label);
    }
    const auto with_own = static_cast<std::size_t>(
        std::count_if(kept.begin(), kept.end(), [&](std::size_t label) { return own[label].has_value(); }));
    constexpr std::size_t most_groups = 250;  // of a byte, with "other" and "no label"
    most = std::min(std::max(most, with_own + 1), most_groups);
    if (kept.size() <= most) return kept;
    std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
        return own[a].has_value() != own[b].has_value() ? own[a].has_value() : counts[a] > counts[b];
    });
    kept.resize(most - 1);
    std::sort(kept.begin(), kept.end());
    return kept;
}

/// The values of a step: exactly, where all are one, else their range.
std::string name_of_range(double least, double most) {
    return least == most ? fmt::format("{}", least) : fmt::format("{:.6g} to {:.6g}", least, most);
}

}  // namespace

Groups groups_of(const Labels& labels, Index n, const Options& options) {
    if (labels.empty()) return {{{"", n, density_ramp[1]}}, {}};
    const std::vector<Offset> counts = count_labels(labels, n);
    const auto seen = std::count_if(counts.begin(), counts.end(), [](Offset count) { return count > 0; });
    const std::vector<Color> colors = label_colors(options, static_cast<std::size_t>(seen));
    const std::vector<std::optional<Color>> own = own_colors_of(labels, options);
    const std::vector<std::size_t> kept = labels_to_keep(counts, own, colors.size());

    Groups groups;
    std::vector<std::uint8_t> group_of(counts.size(), static_cast<std::uint8_t>(kept.size()));
    const Offset missing = unlabeled(labels);
    Offset others = n - missing;
    for (const std::size_t label : kept) {
        group_of[label] = static_cast<std::uint8_t>(groups.list.size());
        const Color color = own[label].value_or(colors[groups.list.size() % colors.size()]);
        groups.list.push_back({io::clean_text(labels.names[label]), counts[label], color});
        others -= counts[label];
    }
    if (others > 0) {
        groups.list.push_back(
            {fmt::format("other ({} labels)", seen - static_cast<std::ptrdiff_t>(kept.size())), others, other_color});
    }
    const auto last = static_cast<std::uint8_t>(groups.list.size());
    if (missing > 0) groups.list.push_back({"no label", missing, other_color});
    groups.of.reserve(labels.of.size());
    for (const Index label : labels.of)
        groups.of.push_back(label == no_label ? last : group_of[static_cast<std::size_t>(label)]);
    return groups;
}

void adapt(Groups& groups, const Look& look) {
    groups.look = look;
    for (std::size_t g = 0; g < groups.list.size(); ++g) {
        Color& color = groups.list[g].color;
        color = groups.below == g ? look.below : look.shown(color);
    }
    if (!groups.scale) return;
    for (Color& color : groups.scale->ramp) color = look.shown(color);
}

const Group& Groups::none() const { return list[value_steps]; }

int step_of(const ColorScale& scale, double value) {
    if (!scale.shows(value)) return value_steps;
    return std::min(static_cast<int>(scale.place(value) * value_steps), value_steps - 1);
}

Groups groups_by_value(std::span<const double> values, const std::string& name, Index n, const Options& options) {
    if (std::ssize(values) != n) {
        throw Error(Fault::bad_input,
                    fmt::format("picture: the map has {} points and there are {} values to color them by; give one for "
                                "every point",
                                n, values.size()));
    }
    ColorScale scale = scale_of(values, name, options);
    Groups groups;
    std::vector<std::pair<double, double>> ranges(value_steps, {HUGE_VAL, -HUGE_VAL});
    for (int s = 0; s < value_steps; ++s)
        groups.list.push_back({"", 0, scale.color(static_cast<double>(s) / (value_steps - 1))});
    groups.list.push_back({"none", 0, other_color});
    for (const double value : values) {
        const int step = step_of(scale, value);
        groups.of.push_back(static_cast<std::uint8_t>(step));
        ++groups.list[groups.of.back()].count;
        if (step == value_steps) continue;
        auto& [least, most] = ranges[at(step)];
        least = std::min(least, value);
        most = std::max(most, value);
    }
    for (std::size_t s = 0; s < ranges.size(); ++s) {
        if (groups.list[s].count > 0) groups.list[s].name = name_of_range(ranges[s].first, ranges[s].second);
    }
    groups.scale = std::move(scale);
    return groups;
}

Groups groups_by_degree(const Graph& graph, const Options& options) {
    const bool is_default = options.palette == Palette::automatic && options.colors.empty();
    const std::vector<Color> ramp =
        is_default ? std::vector<Color>(degree_ramp.begin(), degree_ramp.end()) : scale_colors(options);
    // The largest degree of class c > 0 is 2^(c - 1)
    const auto class_of = [&](Index v) {
        const auto at = static_cast<std::size_t>(v);
        const auto degree = static_cast<std::uint64_t>(graph.offsets[at + 1] - graph.offsets[at]);
        return degree == 0 ? 0 : static_cast<int>(std::bit_width(degree - 1)) + 1;
    };
    int most = 0, least = class_of(0);
    for (Index v = 0; v < graph.size(); ++v) {
        most = std::max(most, class_of(v));
        least = std::min(least, class_of(v));
    }
    Groups groups;
    for (int c = least; c <= most; ++c) {
        const std::uint64_t last = c == 0 ? 0 : std::uint64_t{1} << (c - 1), first = c < 3 ? last : last / 2 + 1;
        const std::string name = first == last ? fmt::format("{} {}", last, last == 1 ? "edge" : "edges")
                                               : fmt::format("{}-{} edges", first, last);
        const float place = static_cast<float>(c - least) / static_cast<float>(std::max(most - least, 1));
        groups.list.push_back({name, 0, on_ramp(ramp, place)});
    }
    for (Index v = 0; v < graph.size(); ++v) {
        groups.of.push_back(static_cast<std::uint8_t>(class_of(v) - least));
        ++groups.list[groups.of.back()].count;
    }
    return groups;
}

}  // namespace dunlin::picture
