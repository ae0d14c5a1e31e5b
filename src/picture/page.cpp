// SPDX-License-Identifier: Apache-2.0
#include "picture/page.hpp"

#include <algorithm>
#include <cmath>

#include "io/markup.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

/// Lengths for a page of 1200 x 1200, scaled with the shorter side, with a lower bound for text.
struct Measure {
    float unit;
    float margin = 30 * unit, gap = 22 * unit;
    float title = std::max(10.0F, 25 * unit), small_title = std::max(9.0F, 18 * unit);
    float text = std::max(9.0F, 17 * unit), row = 1.6F * text, swatch = 0.38F * text;
};

/// Breaks a text into two lines at the small size: the first has as many words as fit.
std::vector<std::string> wrapped(const std::string& text, float size, float width) {
    std::size_t cut = 0;
    for (std::size_t space = text.find(' '); space != std::string::npos; space = text.find(' ', space + 1)) {
        if (text_width(text.substr(0, space), size) > width) break;
        cut = space;
    }
    if (cut == 0) return {shortened(text, size, width)};
    return {text.substr(0, cut), shortened(text.substr(cut + 1), size, width)};
}

/// Adds the title; returns its lower end.
float lay_title(Page& page, const Measure& measure, const std::string& title) {
    if (title.empty()) return measure.margin;
    const float room = page.width - 2 * measure.margin;
    const float whole = text_width(title, measure.title);
    const float size = std::clamp(measure.title * room / whole, measure.small_title, measure.title);
    const auto rows = text_width(title, size) <= room ? std::vector{title} : wrapped(title, size, room);
    float y = measure.margin;
    for (const std::string& row : rows) {
        page.lines.push_back({row, measure.margin, y + 0.95F * size, size, text_color, false});
        y += 1.35F * size;
    }
    return y + 0.6F * measure.gap;
}

struct Legend {
    std::vector<std::string> names, counts;
    float name_size, column_width;
    int rows, columns;
};

Legend measure_legend(const Measure& measure, const Groups& groups, float width, float height) {
    Legend legend{{}, {}, measure.text, 0, 0, 1};
    const auto entries = static_cast<int>(groups.list.size());
    legend.rows = std::clamp(static_cast<int>(height / measure.row), 1, entries);
    legend.columns = (entries + legend.rows - 1) / legend.rows;
    legend.rows = (entries + legend.columns - 1) / legend.columns;

    // Names are shortened if one column would exceed a quarter of the page, or all columns two fifths
    const float lead = 2 * measure.swatch + 0.6F * measure.text, between = 0.5F * measure.text;
    const float most = std::min(0.26F, 0.4F / static_cast<float>(legend.columns)) * width - lead - measure.gap;
    for (const Group& group : groups.list) {
        const std::string count = group.count < 0 ? "" : with_commas(group.count);
        const float count_width = between + text_width(count, 0.85F * measure.text);
        legend.names.push_back(shortened(group.name, measure.text, std::max(most - count_width, 0.0F)));
        legend.counts.push_back(count);
        legend.column_width =
            std::max(legend.column_width, lead + text_width(legend.names.back(), measure.text) + count_width);
    }
    legend.column_width += measure.gap;
    return legend;
}

void lay_legend(Page& page, const Measure& measure, const Groups& groups, const Legend& legend, float left, float top) {
    for (std::size_t i = 0; i < groups.list.size(); ++i) {
        const auto place = static_cast<int>(i);
        const float x = left + static_cast<float>(place / legend.rows) * legend.column_width;
        const float y = top + (static_cast<float>(place % legend.rows) + 0.5F) * measure.row;
        page.swatches.push_back({x + measure.swatch, y, measure.swatch, groups.list[i].color});
        const float name = x + 2 * measure.swatch + 0.6F * measure.text, base = y + 0.36F * measure.text;
        page.lines.push_back({legend.names[i], name, base, measure.text, text_color, false});
        const float count = name + text_width(legend.names[i], measure.text) + 0.5F * measure.text;
        page.lines.push_back({legend.counts[i], count, base, 0.85F * measure.text, faint_color, false});
    }
}

/// Adds the bar of a scale with its name above and round values beside it; returns its width, 0: there is no room.
float lay_bar(Page& page, const Measure& measure, const Groups& groups, float top) {
    const ColorScale& scale = *groups.scale;
    const float text = measure.text, thickness = 1.2F * text, height = std::min(0.5F * page.plot.height, 22 * text);
    const std::vector<Tick> ticks = scale.ticks(5);
    const bool has_gray = groups.list.back().count > 0;
    const std::string none = groups.list.back().name, name = shortened(scale.name, text, 0.22F * page.width);
    float beside = has_gray ? text_width(none, text) : 0;
    for (const Tick& tick : ticks) beside = std::max(beside, text_width(tick.text, text));
    const float width = std::max(text_width(name, text), thickness + 0.8F * text + beside) + measure.gap;
    if (width > 0.45F * page.width || height < 4 * text) return 0;

    const float left = page.width - measure.margin - width + measure.gap;
    page.lines.push_back({name, left, top + text, text, text_color, false});
    page.bar.box = {left, top + 1.8F * text, thickness, height};
    constexpr int parts = 64;
    for (int part = 0; part < parts; ++part)
        page.bar.colors.push_back(scale.color(1 - static_cast<double>(part) / (parts - 1)));
    for (const Tick& tick : ticks) {
        const float y = page.bar.box.top + height * (1 - static_cast<float>(scale.place(tick.value)));
        page.bar.ticks.push_back({left + thickness, y - 0.5F, 0.35F * text, 1});
        page.lines.push_back({tick.text, left + thickness + 0.6F * text, y + 0.36F * text, text, text_color, false});
    }
    if (has_gray) {
        const float y = page.bar.box.top + height + 1.5F * text;
        page.swatches.push_back({left + thickness / 2, y, measure.swatch, groups.list.back().color});
        page.lines.push_back({none, left + thickness + 0.6F * text, y + 0.36F * text, text, text_color, false});
    }
    return width;
}

}  // namespace

Page page_of(const Options& options, const Groups& groups) {
    Page page{static_cast<float>(options.width), static_cast<float>(options.height), {}, {}, {}, {}, {}};
    const Measure measure{std::min(page.width, page.height) / 1200};
    const float top = lay_title(page, measure, io::clean_text(options.title));
    page.plot = {measure.margin, top, page.width - 2 * measure.margin, page.height - measure.margin - top};
    if (!groups.labeled()) return page;
    if (groups.scale) {
        page.plot.width -= lay_bar(page, measure, groups, top);
        return page;
    }

    const Legend legend = measure_legend(measure, groups, page.width, page.plot.height);
    const float legend_width = static_cast<float>(legend.columns) * legend.column_width;
    if (legend_width > 0.45F * page.width) return page;  // no room in a small picture
    page.plot.width -= legend_width;
    lay_legend(page, measure, groups, legend, page.plot.left + page.plot.width + measure.gap, top);
    return page;
}

}  // namespace dunlin::picture
