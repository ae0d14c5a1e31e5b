// SPDX-License-Identifier: Apache-2.0
#include "watch.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include <dunlin/live.hpp>

#include "browser.hpp"
#ifdef DUNLIN_VIEWER
#include "serve/run_view.hpp"
#endif

namespace dunlin::app {

void add_watch_flags(CLI::App& app, CommonOptions& common) {
    WatchFlags& flags = common.watch;
    app.add_flag("--watch", flags.watch, "show the map in a browser while it forms");
    app.add_option("--port", flags.port, "watch: port on 127.0.0.1; 0: any free one (default: 0)")
        ->check(CLI::Range(0, 65535));
    app.add_flag("--no-open", flags.no_open, "watch: only print the address, do not open a browser");
}

namespace {

/// Throws for flags that say nothing without --watch.
void require_watch(const WatchFlags& flags) {
    if (flags.watch || (!flags.port && !flags.no_open)) return;
    const std::string option = flags.port ? "port" : "no-open";
    throw Error(Fault::bad_input, fmt::format("{} is given without watch; add --watch, or leave it out", option),
                {.option = option});
}

}  // namespace

#ifdef DUNLIN_VIEWER

struct Watch::Viewer {
    Viewer(const serve::RunPoints& points, const CommonOptions& common)
        : view(points, common.watch.port.value_or(0),
               [this, opens = !common.watch.no_open] {
                   if (opens) redirect.open();
               }),
          redirect(view.address()),
          watching(std::in_place, view, points.count),
          stop(common.run.stop),
          quiet(common.quiet) {}

    serve::RunView view;
    Redirect redirect;
    std::optional<live::Watching> watching;
    std::stop_token stop;
    bool quiet;
};

Watch::Watch(CommonOptions& common, const WatchedPoints& points, picture::Options style, const std::string& title) {
    require_watch(common.watch);
    if (!common.watch.watch || points.count == 0) return;
    if (style.title.empty()) style.title = title;
    viewer_ = std::make_unique<Viewer>(
        serve::RunPoints{points.count, points.ids, points.labels, points.graph, points.data, points.metric, style},
        common);
    fmt::print("{}\n", viewer_->view.address());
    if (!common.quiet) fmt::print(stderr, "the map forms at this address\n");
    std::fflush(stdout);
    common.run.on_progress = [&view = viewer_->view, print = common.run.on_progress](const Progress& progress) {
        if (print) print(progress);
        view.tell(progress);
    };
}

Watch::~Watch() = default;

void Watch::finish(const Map& map, const std::string& title) {
    if (viewer_ == nullptr) return;
    viewer_->watching.reset();
    if (map.size() > 0 && !viewer_->stop.stop_requested()) viewer_->view.finish(map, title);
}

int Watch::stay(int code) {
    if (viewer_ == nullptr || viewer_->stop.stop_requested()) return code;
    if (!viewer_->quiet) fmt::print(stderr, "the map is shown until its pages are closed; Ctrl-C ends\n");
    viewer_->view.stay(viewer_->stop);
    return code;
}

#else

struct Watch::Viewer {};

Watch::Watch(CommonOptions& common, const WatchedPoints&, picture::Options, const std::string&) {
    require_watch(common.watch);
    if (common.watch.watch)
        throw Error(Fault::bad_input, "watch: this dunlin was built without Boost.Beast, hence has no viewer",
                    {.option = "watch"});
}

Watch::~Watch() = default;

void Watch::finish(const Map&, const std::string&) {}

int Watch::stay(int code) { return code; }

#endif

}  // namespace dunlin::app
