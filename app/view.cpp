// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>
#include <dunlin/page.hpp>
#include <dunlin/surface.hpp>

#include "browser.hpp"
#include "colors.hpp"
#include "commands.hpp"
#include "drawn_map.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#ifdef DUNLIN_VIEWER
#include "serve/server.hpp"
#include "streams.hpp"
#endif

namespace dunlin::app {

namespace {

struct ViewCommand {
    DrawnMapFiles files;
    CommonOptions common;
    picture::Options picture;
    picture::LandscapeOptions landscape;
    surface::HullOptions hull;
    bool hulls = false;
    fs::path points, selection;
    neighbors::Metric metric = neighbors::Metric::euclidean;
    int port = 0;
    bool no_open = false;
    CLI::App* app = nullptr;
};

#ifdef DUNLIN_VIEWER

/// Options of the landscape and of hulls that the map, or the command, leaves unread are errors.
void check_extras(const ViewCommand& command, const DrawnMap& drawn) {
    options::check(command.landscape);
    const auto refuse = [&](const char* flag, const std::string& why) {
        throw Error(Fault::bad_input, fmt::format("{} is given, and {}; leave it out", flag, why));
    };
    const std::string map = fmt::format("{} has {}", command.files.map.string(), drawn.file.map.dim);
    if (command.landscape.style == picture::MapStyle::landscape) {
        if (drawn.graph.size() > 0) refuse("--style landscape", "a landscape has no edges");
        if (drawn.file.map.dim != 2) refuse("--style landscape", "it is for maps of 2 dimensions: " + map);
    }
    if (command.hulls && drawn.file.map.dim != 3) refuse("--hulls", "it is for maps of 3 dimensions: " + map);
    if (command.points.empty() && command.app->get_option("--metric")->count() > 0)
        refuse("--metric", "it is read with --of");
    options::check(command.hull);
    for (const char* flag : {"--radius", "--level", "--share", "--cells", "--opacity"}) {
        if (!command.hulls && command.app->get_option(flag)->count() > 0) refuse(flag, "it is read with --hulls");
    }
}

/// Points of the first picture of a large map: about these, so that they come with the page in a fraction of a second.
constexpr Index sample_size = 131072;
/// Maps of fewer points have no sample: all of them are ready in a fraction of a second, too.
constexpr Index least_for_sample = 8 * sample_size;

/// What the files say, and the contents of its pages.
class ViewedFiles {
public:
    explicit ViewedFiles(ViewCommand& command) : command_(command) {
        const std::vector<ColorChoice> choices =
            color_of(command.common, command.files.map, command.files.labels, command.picture);
        if (choices.size() > 1)
            throw Error(Fault::bad_input,
                        "--color is given more than once, and a page shows one coloring; dunlin draw makes panels");
        drawn_ = read_drawn_map(command.files, command.common);
        colors_ = colors_of(command.common, choices, rows_of(command.files.map, drawn_.file), drawn_.file.labels);
        if (!colors_.values) drawn_.file.labels = colors_.labels;
        if (command.picture.title.empty()) command.picture.title = title_of(command.files, drawn_);
        read_item_names(command.common, command.picture, rows_of(command.files.map, drawn_.file), drawn_.names);
        check_extras(command, drawn_);
        if (command.hulls)
            hulls_ = surface::hulls(drawn_.file.map, drawn_.file.labels, command.hull, command.common.run);
        check_stop();
        if (command.points.empty()) return;
        io::Points points = read_input(command.points, command.common, offsets_of(command.metric));
        const io::RowMatch match =
            io::match_rows(rows_of(command.files.map, drawn_.file), rows_of(command.points, points));
        tell(command.common, command.points, match);
        points_ = taken_rows(points.values, match);
    }

    /// Edges need all points.
    [[nodiscard]] bool needs_sample() const {
        return drawn_.file.map.size() >= least_for_sample && drawn_.graph.size() == 0;
    }

    [[nodiscard]] std::shared_ptr<const serve::Viewed> sample() const {
        auto viewed = std::make_shared<serve::Viewed>();
        viewed->content = content(drawn_.file.map.size() / sample_size);
        viewed->selection = command_.selection;
        return viewed;
    }

    /// All points, for which what was read is given away.
    std::shared_ptr<const serve::Viewed> whole() {
        auto viewed = std::make_shared<serve::Viewed>();
        viewed->content = content(1);
        viewed->map = std::move(drawn_.file.map);
        viewed->labels = std::move(drawn_.file.labels);
        viewed->ids = std::move(drawn_.file.ids);
        viewed->names = std::move(command_.picture.item_names);
        viewed->points = std::move(points_);
        viewed->metric = command_.metric;
        viewed->selection = command_.selection;
        return viewed;
    }

private:
    void check_stop() const {
        if (command_.common.run.stop.stop_requested()) throw Interrupted();
    }

    [[nodiscard]] picture::PageContent content(Index one_in) const {
        const picture::PageExtras extras{drawn_.graph.size() == 0 ? &command_.landscape : nullptr,
                                         command_.hulls ? &hulls_.mesh : nullptr, one_in};
        picture::PageContent content = picture::page_content(
            drawn_.file.map, drawn_.graph, drawn_.file.labels, drawn_.file.ids,
            colors_.values ? &*colors_.values : nullptr, command_.picture, command_.common.run, extras);
        check_stop();
        return content;
    }

    ViewCommand& command_;
    DrawnMap drawn_;
    PictureColors colors_;
    surface::HullResult hulls_;
    std::optional<Matrix> points_;
};

void wait_for(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
}

int view_map(ViewCommand& command) {
    command.common.run.stop = stop_on_interrupt();
    require_apart({command.files.map, command.files.graph, command.files.labels, command.points}, command.common,
                  {{"--select", command.selection}});
    if (!command.selection.empty()) io::require_writable(command.selection);
    serve::LiveMap live;
    ViewedFiles files(command);
    const bool sampled = files.needs_sample();
    if (sampled)
        live.announce(files.sample());
    else
        live.show(files.whole(), false);
    serve::Server server(live, command.port);
    put("{}\n", server.address());
    if (!command.common.quiet) tell("the map is at this address; Ctrl-C ends\n");
    std::fflush(stdout);
    const Redirect redirect(server.address());
    if (!command.no_open) redirect.open();
    const std::jthread listener([&](const std::stop_token& ended) { server.run(ended); });
    if (sampled) {
        try {
            live.show(files.whole(), false);
        } catch (const Interrupted&) {
            return done;  // the map has been shown since its address was printed
        }
    }
    wait_for(command.common.run.stop);
    return done;
}

#else

int view_map(ViewCommand&) {
    throw Error(
        Fault::bad_input,
        "this dunlin was built without Boost.Beast, hence has no viewer; dunlin draw MAP -o FILE.html writes a page");
}

#endif

}  // namespace

void add_view(CLI::App& app, Action& action) {
    auto command = std::make_shared<ViewCommand>();
    CLI::App* sub = app.add_subcommand("view", "show a map in a browser");
    command->app = sub;
    add_drawn_map_flags(*sub, command->files);
    sub->add_option("--of", command->points, "the points that the map was made from: neighbors in the data");
    add_flag(*sub, field("metric", command->metric, "distance between two of the points of --of"));
    sub->add_option("--port", command->port, "port on 127.0.0.1; 0: any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    sub->add_flag("--no-open", command->no_open, "only print the address, do not open a browser");
    sub->add_option("--select", command->selection, "file that the page may write selected points to")
        ->type_name("FILE");
    sub->add_flag("--quiet", command->common.quiet, "print only the address");
    add_flags(*sub, command->picture,
              {"color", "width", "height", "names-by", "leaders", "vertex-names", "figure-size", "dpi", "font",
               "font-size", "svg-text", "legend", "legend-title", "panels-per-row"});
    add_names_flags(*sub, command->picture, command->common);
    add_flags(*sub, command->landscape);
    sub->add_flag("--hulls", command->hulls, "show a hull around the points of each label, of a 3-D map");
    add_flags(*sub, command->hull, {"hulls"});
    add_color_flags(*sub, command->common, true);
    sub->callback([&action, command] { action = [command] { return view_map(*command); }; });
}

}  // namespace dunlin::app
