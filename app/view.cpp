// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include <dunlin/check.hpp>
#include <dunlin/page.hpp>
#include <dunlin/surface.hpp>

#include "browser.hpp"
#include "commands.hpp"
#include "drawn_map.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#ifdef DUNLIN_VIEWER
#include "serve/server.hpp"
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
    std::string color = "labels";
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
    options::check(command.hull);
    for (const char* flag : {"--radius", "--level", "--share", "--cells", "--opacity"}) {
        if (!command.hulls && command.app->get_option(flag)->count() > 0) refuse(flag, "it is read with --hulls");
    }
}

serve::Viewed viewed_of(ViewCommand& command) {
    const std::optional<ColorColumn> color = color_of(command.color, command.picture);
    DrawnMap drawn = read_drawn_map(command.files, command.common);
    const std::optional<picture::Coloring> coloring =
        color ? std::optional(coloring_of(*color, drawn.file)) : std::nullopt;
    if (command.picture.title.empty()) command.picture.title = title_of(command.files, drawn);
    check_extras(command, drawn);
    surface::HullResult hulls;
    if (command.hulls) hulls = surface::hulls(drawn.file.map, drawn.file.labels, command.hull, command.common.run);
    if (command.common.run.stop.stop_requested()) throw Interrupted();
    const picture::PageExtras extras{drawn.graph.size() == 0 ? &command.landscape : nullptr,
                                     command.hulls ? &hulls.mesh : nullptr};
    serve::Viewed viewed;
    viewed.content =
        picture::page_content(drawn.file.map, drawn.graph, drawn.file.labels, drawn.file.ids,
                              coloring ? &*coloring : nullptr, command.picture, command.common.run, extras);
    if (command.common.run.stop.stop_requested()) throw Interrupted();
    if (!command.points.empty()) {
        io::Points points = read_input(command.points, command.common, command.metric);
        if (points.values.rows() != drawn.file.map.size())
            throw Error(Fault::bad_file,
                        fmt::format("{} has {} rows and the map {} points; give the points that the map was made from",
                                    command.points.string(), points.values.rows(), drawn.file.map.size()));
        viewed.points = std::move(points.values);
    }
    viewed.map = std::move(drawn.file.map);
    viewed.labels = std::move(drawn.file.labels);
    viewed.ids = std::move(drawn.file.ids);
    viewed.metric = command.metric;
    viewed.selection = command.selection;
    return viewed;
}

int view_map(ViewCommand& command) {
    command.common.run.stop = stop_on_interrupt();
    require_apart({command.files.map, command.files.graph, command.files.labels, command.points}, command.common,
                  {{"--select", command.selection}});
    serve::LiveMap live;
    live.show(std::make_shared<const serve::Viewed>(viewed_of(command)), false);
    serve::Server server(live, command.port);
    fmt::print("{}\n", server.address());
    if (!command.common.quiet) fmt::print(stderr, "the map is at this address; Ctrl-C ends\n");
    std::fflush(stdout);
    const Redirect redirect(server.address());
    if (!command.no_open) redirect.open();
    server.run(command.common.run.stop);
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
    add_flags(*sub, command->picture, {"color", "width", "height", "vertex-names"});
    add_flags(*sub, command->landscape);
    sub->add_flag("--hulls", command->hulls, "show a hull around the points of each label, of a 3-D map");
    add_flags(*sub, command->hull, {"hulls"});
    add_color_flag(*sub, command->color);
    sub->callback([&action, command] { action = [command] { return view_map(*command); }; });
}

}  // namespace dunlin::app
