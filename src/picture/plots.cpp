// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/plots.hpp>

#include "io/output.hpp"
#include "picture/axes.hpp"
#include "picture/contours.hpp"
#include "picture/formats.hpp"
#include "picture/palettes.hpp"
#include "picture/text.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::picture {

namespace {

constexpr std::array<std::string_view, 3> plot_formats{".png", ".svg", ".pdf"};

/// An image of the page's size, with this picture in the box.
Image on_page(const Page& page, const Image& picture, const PixelRect& box) {
    Image image = blank(page);
    copy(picture, static_cast<int>(box.left), static_cast<int>(box.top), image);
    return image;
}

void finish(const std::filesystem::path& path, const std::string& extension, const Image& picture, const PixelRect& box,
            const Page& page, const Options& options) {
    write(path, extension == ".png"   ? png_of(on_page(page, picture, box), page, options)
                : extension == ".svg" ? svg_of(picture, box, page, options)
                                      : pdf_of(picture, box, page, options));
}

/// One pixel per pixel of the box, each with the color of its nearest cell.
Image colored(const Heatmap& heatmap, const Groups& groups, const PixelRect& box) {
    Image image(std::max(static_cast<int>(box.width), 1), std::max(static_cast<int>(box.height), 1), groups.look.paper);
    const auto cell = [](int pixel, int pixels, Index cells) {
        return static_cast<Index>(std::min<Offset>((Offset{2} * pixel + 1) * cells / (Offset{2} * pixels), cells - 1));
    };
    for (int y = 0; y < image.height; ++y) {
        progress::cancellation_point();
        const Offset row = Offset{cell(y, image.height, heatmap.values.rows)} * heatmap.values.cols;
        for (int x = 0; x < image.width; ++x) {
            const std::size_t group = groups.group(row + cell(x, image.width, heatmap.values.cols));
            image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                         static_cast<std::size_t>(x)] = groups.list[group].color;
        }
    }
    return image;
}

void require_values(Offset count) {
    if (count == 0) throw Error(Fault::bad_input, "picture: there are no values to draw");
}

void draw_heatmap(const std::filesystem::path& path, const std::string& extension, const Heatmap& heatmap,
                  const Options& options) {
    const MatrixView<const double> values = heatmap.values;
    Groups groups = groups_by_value({values.data, static_cast<std::size_t>(values.size())}, heatmap.name,
                                    static_cast<Index>(values.size()), options);
    adapt(groups, look_of(options.dark));
    Page page = page_of(options, groups);
    const float shape = heatmap.equal_axes ? static_cast<float>(values.cols) / static_cast<float>(values.rows) : 0;
    PlotFrame frame = lay_axes(page, heatmap.x, heatmap.y, shape);
    frame.box.left = std::floor(frame.box.left);
    frame.box.top = std::floor(frame.box.top);
    if (heatmap.contours) add_contours(heatmap, *groups.scale, frame, page);
    finish(path, extension, colored(heatmap, groups, frame.box), frame.box, page, options);
}

/// The smallest and largest finite value, a little apart.
Axis range_of(const Curves& curves) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (Offset i = 0; i < curves.values.size(); ++i) {
        if (!std::isfinite(curves.values.data[i])) continue;
        low = std::min(low, curves.values.data[i]);
        high = std::max(high, curves.values.data[i]);
    }
    if (!(low <= high)) low = high = 0;
    const double room = high > low ? 0.04 * (high - low) : 1;
    return {curves.y_name, high + room, low - room};
}

void draw_curves(const std::filesystem::path& path, const std::string& extension, const Curves& curves,
                 const Options& options) {
    Labels labels;
    for (std::size_t c = 0; c < curves.names.size(); ++c) labels.of.push_back(static_cast<Index>(c));
    labels.names = curves.names;
    Groups groups = groups_of(labels, static_cast<Index>(labels.of.size()), options);
    const std::vector<Color> colors = label_colors(options, curves.names.size());
    for (Group& group : groups.list) group.count = -1;
    adapt(groups, look_of(options.dark));
    Page page = page_of(options, groups);
    const PlotFrame frame = lay_axes(page, curves.x, range_of(curves), 0);
    const float width = std::max(1.0F, 2.2F * std::min(page.width, page.height) / 1200);
    for (Index c = 0; c < curves.values.rows; ++c) {
        Stroke stroke{{}, page.look.shown(colors[static_cast<std::size_t>(c) % colors.size()]), width};
        const auto row = curves.values.row(c);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double share = row.size() > 1 ? static_cast<double>(i) / static_cast<double>(row.size() - 1) : 0.5;
            if (std::isfinite(row[i]))
                stroke.points.push_back(frame.at(curves.x.begin + share * (curves.x.end - curves.x.begin), row[i]));
        }
        page.strokes.push_back(std::move(stroke));
    }
    finish(path, extension, Image(1, 1, page.look.paper), frame.box, page, options);
}

template <class Plot, class Draw>
bool draw_plot(const std::filesystem::path& path, const Plot& plot, const Options& options, const Run& run,
               const Draw& draw_it) {
    const std::string extension = io::format_of(path, "a plot is", plot_formats);
    check(options);
    require_values(plot.values.size());
    return progress::run_cancellable(run.stop, [&] {
        const progress::ProgressReporter reporter(run, "picture", 1);
        const FontScope font(options.font);
        draw_it(path, extension, plot, options);
    });
}

}  // namespace

bool draw(const std::filesystem::path& path, const Heatmap& heatmap, const Options& options, const Run& run) {
    return draw_plot(path, heatmap, options, run, draw_heatmap);
}

bool draw(const std::filesystem::path& path, const Curves& curves, const Options& options, const Run& run) {
    return draw_plot(path, curves, options, run, draw_curves);
}

}  // namespace dunlin::picture
