// SPDX-License-Identifier: Apache-2.0
#include <dunlin/panels.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "communities/sequential.hpp"
#include "io/fail.hpp"
#include "io/output.hpp"
#include "picture/compose.hpp"
#include "picture/formats.hpp"
#include "picture/palettes.hpp"
#include "picture/text.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::picture {

namespace {

bool is_of_numbers(const Panel& panel) { return panel.values || panel.by == ColorBy::degree; }
bool is_plain(const Panel& panel) { return !panel.values && panel.by == ColorBy::labels && panel.labels.empty(); }

/// The options of one panel: those that another panel reads in its place are left out.
Options options_of(const Panel& panel, const std::vector<Panel>& panels, const Options& options) {
    const Options none;
    const bool has_numbers = std::any_of(panels.begin(), panels.end(), is_of_numbers);
    const bool has_values = std::any_of(panels.begin(), panels.end(), [](const Panel& p) { return p.values; });
    const bool has_labels =
        std::any_of(panels.begin(), panels.end(), [](const Panel& p) { return !is_of_numbers(p) && !is_plain(p); });
    Options own = options;
    own.title = panel.title.empty() ? "none" : panel.title;
    own.color = panel.by;
    if (!panel.values && has_values) own.range = {}, own.scale = none.scale, own.center = {};
    if (is_plain(panel) && (has_numbers || has_labels)) {
        own.palette = none.palette, own.colors = {};
    } else if (is_of_numbers(panel) && has_labels) {
        if (is_of_labels(own.palette)) own.palette = none.palette;
        std::erase_if(own.colors, [](const LabelColor& each) { return !each.label.empty(); });
    } else if (!is_of_numbers(panel) && has_numbers && !is_of_labels(own.palette)) {
        own.palette = none.palette;
    }
    own.colors.insert(own.colors.end(), panel.colors.begin(), panel.colors.end());
    return own;
}

void check_panels(const std::vector<Panel>& panels, const Graph& graph, const Options& options) {
    const auto refuse = [](const std::string& why) { throw Error(Fault::bad_input, "picture: " + why); };
    if (panels.empty()) refuse("there are no panels; give one or more");
    if (options.color != ColorBy::labels) refuse("color is given beside panels, which have their own; leave it out");
    for (const Panel& panel : panels) {
        if (panel.by != ColorBy::labels && (panel.values || !panel.labels.empty()))
            refuse(fmt::format("panel '{}' has two colorings; leave one out", io::shown(panel.title)));
        if (panel.by != ColorBy::labels && graph.size() == 0)
            refuse(fmt::format("panel '{}' shows a graph's {}, and there is no graph; leave it out",
                               io::shown(panel.title), name_of(panel.by)));
        if (panel.values && !panel.values->film.frames.empty())
            refuse("a film is played by a page, and panels are a picture; leave it out");
    }
}

bool draw_first(const std::filesystem::path& path, const std::vector<Panel>& panels, const Graph& graph, const Map& map,
                const std::vector<std::string>& ids, const Options& options, const Run& run) {
    const Panel& first = panels.front();
    Options own = options_of(first, panels, options);
    own.title = options.title;
    if (panels.size() > 1 && run.on_notice)
        run.on_notice(Notice::note, fmt::format("a page shows one coloring: {} has the first of {}, {}",
                                                path.filename().string(), panels.size(), io::shown(first.title)));
    if (first.values) return draw(path, *first.values, graph, map, ids, own, run);
    return graph.size() > 0 ? draw(path, graph, map, first.labels, ids, own, run)
                            : draw(path, map, first.labels, ids, own, run);
}

/// A grid of panels: their number in each direction, and the sizes of all and of one.
struct PanelGrid {
    int columns, rows;
    Paper paper, panel;
    Page page;
    float top = 0;  ///< of the first row

    PanelGrid(const Options& options, int count)
        : columns(std::min(options.panels_per_row, count)),
          rows((count + columns - 1) / columns),
          paper(paper_of(options, columns, rows)),
          panel(paper) {
        panel.width = std::floor(paper.width / columns);
        panel.height = std::floor(paper.height / rows);
        page = titled_page(options, paper, panel);
        top = std::ceil(page.plot.top);
        panel.height = std::floor((paper.height - static_cast<double>(top)) / rows);
    }
    [[nodiscard]] PixelPoint place(int number) const {
        return {static_cast<float>(number % columns * panel.width),
                top + static_cast<float>(number / columns * panel.height)};
    }
};

/// What all plots have in common, so that a point has the same place in each panel.
PixelRect common_plot(const std::vector<Page>& pages) {
    PixelRect common = pages.front().plot;
    float right = common.left + common.width, bottom = common.top + common.height;
    for (const Page& page : pages) {
        right = std::min(right, page.plot.left + page.plot.width);
        bottom = std::min(bottom, page.plot.top + page.plot.height);
        common.left = std::max(common.left, page.plot.left);
        common.top = std::max(common.top, page.plot.top);
    }
    common.width = right - common.left, common.height = bottom - common.top;
    return common;
}

void draw_panels(const std::filesystem::path& path, const std::string& extension, const std::vector<Panel>& panels,
                 const Graph& graph, const Map& map, const std::vector<std::string>& ids, const Options& options,
                 const Run& run) {
    check(options);
    const progress::ProgressReporter reporter(run, "picture", 1);
    const FontScope font(options.font);
    device::Cpu cpu(run);
    const FlatMap flat = flatten(cpu, map);
    note_absent(options, ids, run);
    const PanelGrid grid(options, static_cast<int>(panels.size()));
    const auto is_by_community = [](const Panel& panel) { return panel.by == ColorBy::community; };
    const Labels communities = std::any_of(panels.begin(), panels.end(), is_by_community)
                                   ? communities::labels_of(communities::find_sequentially(graph))
                                   : Labels{};

    // The legends of all decide where the map is in each
    std::vector<Options> styles;
    std::vector<Subject> subjects;
    std::vector<Groups> groups;
    std::vector<Page> pages;
    for (const Panel& panel : panels) {
        styles.push_back(options_of(panel, panels, options));
        subjects.push_back({graph, map, is_by_community(panel) ? communities : panel.labels, ids,
                            panel.values ? &*panel.values : nullptr});
        check(subjects.back());
        groups.push_back(colored_groups(subjects.back(), styles.back(), false));
        if (groups.back().scale && !panel.title.empty()) groups.back().scale->name = {};
        pages.push_back(page_of(styles.back(), groups.back(), {}, grid.panel));
    }
    const PixelRect plot = common_plot(pages);

    Sheet sheet{options, grid.paper, grid.page, {}};
    for (std::size_t p = 0; p < panels.size(); ++p) {
        pages[p].plot = plot;
        const PixelPoint at = grid.place(static_cast<int>(p));
        sheet.parts.push_back(
            {drawing_of(cpu, subjects[p], flat, styles[p], std::move(groups[p]), std::move(pages[p])), at.x, at.y});
    }
    write(path, bytes_of(cpu, sheet, extension));
}

}  // namespace

bool draw(const std::filesystem::path& path, const std::vector<Panel>& panels, const Graph& graph, const Map& map,
          const std::vector<std::string>& ids, const Options& options, const Run& run) {
    check_panels(panels, graph, options);
    if (graph.size() > 0) check_graph(graph, map);
    const std::string extension = io::format_of(path, "a picture is", formats::pictures);
    if (extension == ".html") return draw_first(path, panels, graph, map, ids, options, run);
    return progress::run_cancellable(run.stop,
                                     [&] { draw_panels(path, extension, panels, graph, map, ids, options, run); });
}

}  // namespace dunlin::picture
