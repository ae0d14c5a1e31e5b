// SPDX-License-Identifier: Apache-2.0
#include "picture/page.hpp"

#include <algorithm>
#include <cmath>

#include "io/markup.hpp"
#include "picture/legend.hpp"
#include "picture/paper.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

/// Lengths for a page of 1200 x 1200, scaled with the shorter side, with a lower bound for text. Text of a given size
/// has titles of 1.2 times.
struct Measure {
    float unit, given;  ///< given: size of text, 0: from the page
    float margin = 30 * unit, gap = 22 * unit;
    float text = given > 0 ? given : std::max(9.0F, 17 * unit);
    float title = given > 0 ? 1.2F * given : std::max(10.0F, 25 * unit);
    float small_title = given > 0 ? given : std::max(9.0F, 18 * unit);
};

/// Breaks a text into two lines at the small size: the first has as many words as fit.
std::vector<std::string> two_lines(const std::string& text, float size, float width) {
    WrappedText rows = wrapped(text, size, width);
    if (rows.lines.size() <= 2) return rows.lines;
    const std::size_t begin = text.find_first_not_of(' '),
                      rest = text.find_first_not_of(' ', begin + rows.lines[0].size());
    return {rows.lines[0], shortened(text.substr(rest), size, width)};
}

/// Adds the title; returns its lower end.
float lay_title(Page& page, const Measure& measure, const std::string& title) {
    if (title.empty()) return measure.margin;
    const float room = page.width - 2 * measure.margin;
    const float whole = text_width(title, measure.title);
    const float size = std::clamp(measure.title * room / whole, measure.small_title, measure.title);
    const auto rows = text_width(title, size) <= room ? std::vector{title} : two_lines(title, size, room);
    float y = measure.margin;
    for (const std::string& row : rows) {
        page.lines.push_back({row, measure.margin, y + 0.95F * size, size, page.look.text, false});
        y += 1.35F * size;
    }
    return y + 0.6F * measure.gap;
}

Page blank_page(const Options& options, const Paper& paper) {
    Page page;
    page.look = look_of(options.dark);
    page.width = static_cast<float>(paper.width);
    page.height = static_cast<float>(paper.height);
    return page;
}

Measure measure_of(const Paper& paper) {
    return {.unit = static_cast<float>(std::min(paper.width, paper.height)) / 1200, .given = paper.text};
}

}  // namespace

std::string title_of(const Options& options) {
    return options.title == "none" ? std::string() : io::clean_text(options.title);
}

Page page_of(const Options& options, const Groups& groups, const std::vector<std::string>& notes, const Paper& paper) {
    Page page = blank_page(options, paper);
    const Measure measure = measure_of(paper);
    page.text = measure.text;
    page.name_size = paper.text;
    page.rim = std::max(0.4F, 0.4F * measure.unit);
    const float top = lay_title(page, measure, title_of(options));
    page.plot = {measure.margin, top, page.width - 2 * measure.margin, page.height - measure.margin - top};
    lay_legend(page, {groups, notes, io::clean_text(options.legend_title), options.legend}, measure.gap);
    return page;
}

Page page_of(const Options& options, const Groups& groups, const std::vector<std::string>& notes) {
    return page_of(options, groups, notes, paper_of(options));
}

Page titled_page(const Options& options, const Paper& paper, const Paper& panel) {
    Page page = blank_page(options, paper);
    const std::string title = title_of(options);
    const float top = title.empty() ? 0 : lay_title(page, measure_of(panel), title);
    page.plot = {0, top, page.width, page.height - top};
    return page;
}

}  // namespace dunlin::picture
