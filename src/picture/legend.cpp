// SPDX-License-Identifier: Apache-2.0
#include "picture/legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

constexpr float most_share = 0.4F;  // of the page
constexpr float small = 0.85F;      // text of counts and notes, relative

/// Lengths of a legend with text of this size.
struct LegendMeasure {
    float text;
    float swatch = 0.38F * text, lead = 2 * swatch + 0.6F * text, between = 0.5F * text;
    float row = 1.6F * text, line = 1.2F * text;
    float gap;                   ///< between columns
    std::size_t most_lines = 3;  ///< of a name
};

struct LegendEntry {
    std::vector<std::string> lines;
    std::string count;           ///< after the last line
    std::optional<Color> color;  ///< none: a note
    float width = 0;
    bool is_whole = true;  ///< no line ends within a word, and no name is cut

    [[nodiscard]] float height(const LegendMeasure& measure) const {
        return measure.row + static_cast<float>(lines.size() - 1) * measure.line;
    }
};

/// The text on so many lines. One that needs more has an ellipsis, and is not whole.
WrappedText limited(const std::string& text, float size, float width, std::size_t most_lines) {
    WrappedText rows = wrapped(text, size, width);
    if (rows.lines.size() <= most_lines) return rows;
    rows.is_whole = false;
    std::string rest;
    for (std::size_t row = most_lines - 1; row < rows.lines.size(); ++row)
        rest += (rest.empty() ? "" : " ") + rows.lines[row];
    rows.lines.resize(most_lines);
    rows.lines.back() = shortened(rest + " \xE2\x80\xA6", size, width);
    return rows;
}

/// `room`: the width of an entry.
LegendEntry entry_of(const Group& group, const LegendMeasure& measure, float room) {
    LegendEntry entry{{}, group.count < 0 ? "" : with_commas(group.count), group.color, 0, true};
    const float count = entry.count.empty() ? 0 : measure.between + text_width(entry.count, small * measure.text);
    const float beside = measure.most_lines == 1 ? count : 0;  // more lines have room for the count
    WrappedText name = limited(group.name, measure.text, room - measure.lead - beside, measure.most_lines);
    entry.is_whole = name.is_whole;
    entry.lines = std::move(name.lines);
    float last = text_width(entry.lines.back(), measure.text);
    if (measure.lead + last + count > room && count > 0 && measure.most_lines > 1) {
        entry.lines.emplace_back();
        last = 0;
    }
    for (const std::string& line : entry.lines) entry.width = std::max(entry.width, text_width(line, measure.text));
    entry.width = measure.lead + std::max(entry.width, last + count);
    return entry;
}

LegendEntry entry_of(const std::string& note, const LegendMeasure& measure, float room) {
    LegendEntry entry{{}, {}, {}, 0, true};
    WrappedText rows = limited(note, small * measure.text, room, measure.most_lines);
    entry.is_whole = rows.is_whole;
    entry.lines = std::move(rows.lines);
    for (const std::string& line : entry.lines)
        entry.width = std::max(entry.width, text_width(line, small * measure.text));
    return entry;
}

/// Entries in columns, from the top down.
struct Arrangement {
    LegendMeasure measure;
    std::vector<std::string> title;
    std::vector<LegendEntry> entries;
    std::vector<std::size_t> first;  ///< of each column
    std::vector<float> widths;       ///< of each column
    float width = 0, height = 0;
    bool is_whole = true;

    [[nodiscard]] std::size_t end(std::size_t column) const {
        return column + 1 < first.size() ? first[column + 1] : entries.size();
    }
    [[nodiscard]] float title_height() const { return static_cast<float>(title.size()) * measure.row; }
};

/// Divides the entries into columns of at most this height.
void divide(Arrangement& legend, float height) {
    legend.first.clear();
    float used = height;
    for (std::size_t e = 0; e < legend.entries.size(); ++e) {
        const float needed = legend.entries[e].height(legend.measure);
        if (used + needed > height + 0.01F || legend.first.empty()) {
            legend.first.push_back(e);
            used = 0;
        }
        used += needed;
    }
}

/// Divides the entries into at most so many columns, which are as low as possible.
void balance(Arrangement& legend, std::size_t columns) {
    float total = 0, tallest = 0;
    for (const LegendEntry& entry : legend.entries) {
        total += entry.height(legend.measure);
        tallest = std::max(tallest, entry.height(legend.measure));
    }
    float height = std::max(tallest, total / static_cast<float>(columns));
    do {
        divide(legend, height);
        height += 0.2F * legend.measure.text;  // a row is 8, a line 6 of these steps
    } while (legend.first.size() > columns);
}

/// The entries in columns, each of at most this width.
Arrangement arranged(const LegendContent& content, const LegendMeasure& measure, std::size_t columns, float room) {
    Arrangement legend{measure, {}, {}, {}, {}, 0, 0, true};
    for (const Group& group : content.groups.list)
        legend.entries.push_back(entry_of(group, measure, room - measure.gap));
    for (const std::string& note : content.notes) legend.entries.push_back(entry_of(note, measure, room - measure.gap));
    for (const LegendEntry& entry : legend.entries) legend.is_whole = legend.is_whole && entry.is_whole;
    balance(legend, columns);
    for (std::size_t c = 0; c < legend.first.size(); ++c) {
        float width = 0, height = 0;
        for (std::size_t e = legend.first[c]; e < legend.end(c); ++e) {
            width = std::max(width, legend.entries[e].width);
            height += legend.entries[e].height(measure);
        }
        legend.widths.push_back(width + measure.gap);
        legend.width += legend.widths.back();
        legend.height = std::max(legend.height, height);
    }
    if (!content.title.empty()) {
        const float width = static_cast<float>(columns) * room - measure.gap;
        WrappedText title = limited(content.title, measure.text, width, measure.most_lines);
        legend.is_whole = legend.is_whole && title.is_whole;
        legend.title = std::move(title.lines);
        for (const std::string& line : legend.title)
            legend.width = std::max(legend.width, text_width(line, measure.text) + measure.gap);
        legend.height += legend.title_height();
    }
    return legend;
}

/// Rooms of a legend that are tried: columns, and the width of one.
struct LegendRoom {
    std::size_t columns;
    float width;
};

/// Beside the plot as few columns as its height allows, below it as many as its width allows.
std::vector<LegendRoom> rooms_of(const Page& page, LegendPlace place, std::size_t entries, float gap) {
    std::vector<LegendRoom> rooms;
    if (place == LegendPlace::right) {
        for (const float share : {0.26F, 0.33F, most_share}) rooms.push_back({1, share * page.width});
        for (std::size_t c = 2; c <= std::min<std::size_t>(entries, 6); ++c)
            rooms.push_back({c, most_share * page.width / static_cast<float>(c)});
    } else {
        for (std::size_t c = std::min<std::size_t>(entries, 12); c > 0; --c)
            rooms.push_back({c, (page.plot.width + gap) / static_cast<float>(c)});
    }
    return rooms;
}

/// The first arrangement that fits, in whole words or else with broken ones.
std::optional<Arrangement> fitting(const Page& page, const LegendContent& content, const LegendMeasure& measure) {
    const float room = content.place == LegendPlace::right ? page.plot.height : most_share * page.height;
    const std::size_t entries = content.groups.list.size() + content.notes.size();
    std::optional<Arrangement> broken;
    for (const LegendRoom& each : rooms_of(page, content.place, entries, measure.gap)) {
        if (each.width < 6 * measure.text) continue;
        Arrangement legend = arranged(content, measure, each.columns, each.width);
        if (legend.height > room) continue;
        if (legend.is_whole) return legend;
        if (!broken) broken = std::move(legend);
    }
    return broken;
}

/// With smaller text if it must be, as long as that can be read, and last with a line for each name.
std::optional<Arrangement> fitting(const Page& page, const LegendContent& content, float gap) {
    constexpr float least_text = 9;  // pixels
    for (const float size : {1.0F, 0.85F, 0.72F}) {
        if (size < 1 && size * page.text < least_text) break;
        if (auto legend = fitting(page, content, LegendMeasure{.text = size * page.text, .gap = gap})) return legend;
    }
    return fitting(page, content, LegendMeasure{.text = page.text, .gap = gap, .most_lines = 1});
}

/// Adds the lines of a text below each other; `y` is the middle of the first.
void add_lines(Page& page, const std::vector<std::string>& lines, float x, float y, float size, float line,
               Color color) {
    for (const std::string& each : lines) {
        if (!each.empty()) page.lines.push_back({each, x, y + 0.36F * size, size, color, false});
        y += line;
    }
}

void add_entry(Page& page, const LegendEntry& entry, const LegendMeasure& measure, float x, float top) {
    const float y = top + 0.5F * measure.row;
    if (!entry.color) {
        add_lines(page, entry.lines, x, y, small * measure.text, measure.line, page.look.faint);
        return;
    }
    page.swatches.push_back({x + measure.swatch, y, measure.swatch, *entry.color});
    add_lines(page, entry.lines, x + measure.lead, y, measure.text, measure.line, page.look.text);
    if (entry.count.empty()) return;
    const float last = text_width(entry.lines.back(), measure.text);
    const float base = y + static_cast<float>(entry.lines.size() - 1) * measure.line + 0.36F * measure.text;
    page.lines.push_back({entry.count, x + measure.lead + last + (last > 0 ? measure.between : 0), base,
                          small * measure.text, page.look.faint, false});
}

void add_legend(Page& page, const Arrangement& legend, float left, float top) {
    const LegendMeasure& measure = legend.measure;
    add_lines(page, legend.title, left, top + 0.5F * measure.row, measure.text, measure.row, page.look.text);
    float x = left;
    for (std::size_t c = 0; c < legend.first.size(); ++c) {
        float y = top + legend.title_height();
        for (std::size_t e = legend.first[c]; e < legend.end(c); ++e) {
            add_entry(page, legend.entries[e], measure, x, y);
            y += legend.entries[e].height(measure);
        }
        x += legend.widths[c];
    }
}

/// A scale's name, its ticks, and the name of points without a value, if there are such points.
struct ScaleText {
    std::vector<std::string> name;
    std::vector<Tick> ticks;
    std::string none;
    float name_width = 0, tick_width = 0, none_width = 0;
};

ScaleText scale_text(const LegendContent& content, float text, float room) {
    const ColorScale& scale = *content.groups.scale;
    const Group& gray = content.groups.none();
    ScaleText words{limited(content.title.empty() ? scale.name : content.title, text, room, 3).lines, scale.ticks(5),
                    gray.count > 0 ? gray.name : ""};
    for (const std::string& line : words.name) words.name_width = std::max(words.name_width, text_width(line, text));
    for (const Tick& tick : words.ticks) words.tick_width = std::max(words.tick_width, text_width(tick.text, text));
    words.none_width = text_width(words.none, text);
    return words;
}

void add_colors(ColorBar& bar, const ColorScale& scale) {
    constexpr int parts = 64;
    for (int part = 0; part < parts; ++part) {
        const double place = static_cast<double>(part) / (parts - 1);
        bar.colors.push_back(scale.color(bar.is_flat ? place : 1 - place));
    }
}

void add_none(Page& page, const LegendContent& content, const std::string& none, float x, float y) {
    if (none.empty()) return;
    const float text = page.text;
    page.swatches.push_back({x, y, 0.38F * text, content.groups.none().color});
    page.lines.push_back({none, x + 1.2F * text, y + 0.36F * text, text, page.look.text, false});
}

void lay_bar_beside(Page& page, const LegendContent& content, float gap) {
    const float text = page.text, thickness = 1.2F * text, height = std::min(0.5F * page.plot.height, 22 * text);
    const ScaleText words = scale_text(content, text, 0.26F * page.width);
    const float beside = std::max(words.tick_width, words.none_width);
    const float width = std::max(words.name_width, thickness + 0.8F * text + beside) + gap;
    if (width > 0.45F * page.width || height < 4 * text) return;

    const float left = page.plot.left + page.plot.width - width + gap, top = page.plot.top;
    add_lines(page, words.name, left, top + 0.64F * text, text, 1.2F * text, page.look.text);
    page.bar.box = {left, top + (0.6F + 1.2F * static_cast<float>(words.name.size())) * text, thickness, height};
    add_colors(page.bar, *content.groups.scale);
    for (const Tick& tick : words.ticks) {
        const float y = page.bar.box.top + height * (1 - static_cast<float>(content.groups.scale->place(tick.value)));
        page.bar.ticks.push_back({left + thickness, y - 0.5F, 0.35F * text, 1});
        page.lines.push_back(
            {tick.text, left + thickness + 0.6F * text, y + 0.36F * text, text, page.look.text, false});
    }
    add_none(page, content, words.none, left + thickness / 2, page.bar.box.top + height + 1.5F * text);
    page.plot.width -= width;
}

void lay_bar_below(Page& page, const LegendContent& content, float gap) {
    const float text = page.text, thickness = 1.2F * text;
    const ScaleText words = scale_text(content, text, page.plot.width);
    const float none = words.none.empty() ? 0 : words.none_width + 3 * text,
                left = page.plot.left + words.tick_width / 2;
    const float width = std::min(page.plot.width - words.tick_width - none, 34 * text);
    const float above = (0.6F + 1.2F * static_cast<float>(words.name.size())) * text;
    const float height = above + thickness + 1.8F * text;
    if (height > most_share * page.height || width < 8 * text) return;

    page.plot.height -= height + gap;
    const float top = page.plot.top + page.plot.height + gap;
    add_lines(page, words.name, left, top + 0.64F * text, text, 1.2F * text, page.look.text);
    page.bar.is_flat = true;
    page.bar.box = {left, top + above, width, thickness};
    add_colors(page.bar, *content.groups.scale);
    for (const Tick& tick : words.ticks) {
        const float x = left + width * static_cast<float>(content.groups.scale->place(tick.value));
        page.bar.ticks.push_back({x - 0.5F, top + above + thickness, 1, 0.35F * text});
        page.lines.push_back({tick.text, x - text_width(tick.text, text) / 2, top + above + thickness + 1.5F * text,
                              text, page.look.text, false});
    }
    add_none(page, content, words.none, left + width + words.tick_width / 2 + 1.5F * text, top + above + thickness / 2);
}

}  // namespace

void lay_legend(Page& page, const LegendContent& content, float gap) {
    if (content.place == LegendPlace::none || !content.groups.labeled()) return;
    const bool is_right = content.place == LegendPlace::right;
    if (content.groups.scale) {
        is_right ? lay_bar_beside(page, content, gap) : lay_bar_below(page, content, gap);
        return;
    }
    const std::optional<Arrangement> legend = fitting(page, content, gap);
    if (!legend) return;
    if (is_right) {
        page.plot.width -= legend->width;
        add_legend(page, *legend, page.plot.left + page.plot.width + gap, page.plot.top);
    } else {
        page.plot.height -= legend->height + gap;
        add_legend(page, *legend, page.plot.left, page.plot.top + page.plot.height + gap);
    }
}

}  // namespace dunlin::picture
