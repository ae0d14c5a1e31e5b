// SPDX-License-Identifier: Apache-2.0
#include "picture/axes.hpp"

#include <algorithm>

#include "io/markup.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

/// Where a value lies on an axis, from 0 (begin) to 1 (end).
float share_of(const Axis& axis, double value) {
    return axis.end == axis.begin ? 0.5F : static_cast<float>((value - axis.begin) / (axis.end - axis.begin));
}

std::vector<Tick> ticks_on(const Axis& axis, int count) {
    return ticks_of(std::min(axis.begin, axis.end), std::max(axis.begin, axis.end), count);
}

float widest(const std::vector<Tick>& ticks, float size) {
    float width = 0;
    for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text, size));
    return width;
}

}  // namespace

PixelPoint PlotFrame::at(double vx, double vy) const {
    return {box.left + share_of(x, vx) * box.width, box.top + share_of(y, vy) * box.height};
}

PlotFrame lay_axes(Page& page, const Axis& x, const Axis& y, float shape) {
    const float text = page.text, length = 0.35F * text;
    const std::vector<Tick> across = ticks_on(x, 7), down = ticks_on(y, 7);
    const std::string x_name = io::clean_text(x.name), y_name = io::clean_text(y.name);
    const float left = widest(down, text) + 2 * length, below = 3.4F * text, above = 1.8F * text;
    PixelRect box{page.plot.left + left, page.plot.top + above, std::max(page.plot.width - left - text, 1.0F),
                  std::max(page.plot.height - below - above, 1.0F)};
    if (shape > 0) {
        box.width = std::min(box.width, box.height * shape);
        box.height = box.width / shape;
    }
    const PlotFrame frame{box, x, y};
    const float right = box.left + box.width, bottom = box.top + box.height;
    page.strokes.push_back(
        {{{box.left, box.top}, {right, box.top}, {right, bottom}, {box.left, bottom}, {box.left, box.top}},
         page.look.faint,
         1});
    for (const Tick& tick : across) {
        const float at = frame.at(tick.value, y.begin).x;
        page.strokes.push_back({{{at, bottom}, {at, bottom + length}}, page.look.faint, 1});
        page.lines.push_back({tick.text, at - text_width(tick.text, text) / 2, bottom + length + 1.1F * text, text,
                              page.look.text, false});
    }
    for (const Tick& tick : down) {
        const float at = frame.at(x.begin, tick.value).y;
        page.strokes.push_back({{{box.left - length, at}, {box.left, at}}, page.look.faint, 1});
        page.lines.push_back({tick.text, box.left - 1.6F * length - text_width(tick.text, text), at + 0.36F * text,
                              text, page.look.text, false});
    }
    page.lines.push_back({x_name, box.left + box.width / 2 - text_width(x_name, text) / 2,
                          bottom + length + 2.6F * text, text, page.look.text, false});
    page.lines.push_back({y_name, page.plot.left, page.plot.top + text, text, page.look.text, false});
    return frame;
}

}  // namespace dunlin::picture
