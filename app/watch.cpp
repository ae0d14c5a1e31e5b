// SPDX-License-Identifier: Apache-2.0
#include "watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include <dunlin/live.hpp>

#include "acts.hpp"
#include "browser.hpp"
#include "exit_code.hpp"
#include "json_text.hpp"
#include "report.hpp"
#ifdef DUNLIN_VIEWER
#include "serve/run_view.hpp"
#include "streams.hpp"
#endif

namespace dunlin::app {

void add_watch_flags(CLI::App& app, CommonOptions& common) {
    WatchFlags& flags = common.watch;
    app.add_flag("--watch", flags.watch, "show the map in a browser while it forms");
    app.add_option("--port", flags.port, "watch: port on 127.0.0.1; 0: any free one (default: 0)")
        ->check(CLI::Range(0, 65535));
    app.add_flag("--no-open", flags.no_open, "watch: only print the address, do not open a browser");
    app.add_option("--steer", flags.steer, "repeat the logged acts of an earlier run: its log or its report")
        ->type_name("FILE");
    app.add_option("--log", flags.log,
                   "write the acts on the run (default, if a page made any: INPUT's stem .log.json)")
        ->type_name("FILE.json");
}

namespace {

/// Throws for flags that say nothing without --watch.
void require_watch(const WatchFlags& flags) {
    if (flags.watch || (!flags.port && !flags.no_open)) return;
    const std::string option = flags.port ? "port" : "no-open";
    throw Error(Fault::bad_input, fmt::format("{} is given without watch; add --watch, or leave it out", option),
                {.option = option});
}

std::unique_ptr<live::Steering> steering_of(const WatchFlags& flags) {
    return std::make_unique<live::Steering>(flags.steer.empty() ? std::vector<live::Act>{} : read_acts(flags.steer));
}

}  // namespace

#ifdef DUNLIN_VIEWER

struct Watch::Viewer {
    Viewer(const serve::RunPoints& points, const CommonOptions& common, live::Steering& steering)
        : view(points, common.watch.port.value_or(0), steering,
               [this, opens = !common.watch.no_open] {
                   if (opens) redirect.open();
               }),
          redirect(view.address()),
          watching(std::in_place, view, points.count) {}

    void show(const Map& map, const std::string& title, bool moves) { view.finish(map, title, moves); }

    serve::RunView view;
    Redirect redirect;
    std::optional<live::Watching> watching;
};

#else

struct Watch::Viewer {
    void show(const Map&, const std::string&, bool) {}
    struct {
        static bool is_deserted() { return true; }
        void expect_pages() {}
        void stay(const std::stop_token&) {}
    } view;
    std::optional<live::Watching> watching;
};

#endif

Watch::Watch(CommonOptions& common, const WatchedPoints& points, picture::Options style, const std::string& title)
    : steering_(steering_of(common.watch)), common_(common), count_(points.count) {
    require_watch(common.watch);
    if (!common.watch.log.empty()) io::require_writable(common.watch.log);
    if (points.count == 0) return;
    steered_.emplace(*steering_, points.count);
    if (!common.watch.watch) return;
#ifdef DUNLIN_VIEWER
    if (style.title.empty()) style.title = title;
    viewer_ = std::make_unique<Viewer>(
        serve::RunPoints{points.count, points.ids, points.labels, points.graph, points.data, points.metric, style},
        common, *steering_);
    put("{}\n", viewer_->view.address());
    if (!common.quiet) tell("the map forms at this address\n");
    std::fflush(stdout);
    common.run.on_progress = [&view = viewer_->view, print = common.run.on_progress](const Progress& progress) {
        if (print) print(progress);
        view.tell(progress);
    };
#else
    throw Error(Fault::bad_input, "watch: this dunlin was built without Boost.Beast, hence has no viewer",
                {.option = "watch"});
#endif
}

Watch::~Watch() {
    if (is_logged_ || std::uncaught_exceptions() == exceptions_) return;
    try {  // the run ends with an error, which an act may have led to
        Json report = Json::object();
        *common_.failure = nullptr;  // the error of the run, if it is of an output
        for (const fs::path& file : write_log(report, "unfinished"))
            tell("note: what was done to the run is in {}\n", file.string());
        throw_failure(common_);
    } catch (const std::exception& error) {  // beside the error of the run, which is told by others
        tell("note: what was done to the run is lost: {}\n", error.what());
    }
}

std::vector<fs::path> Watch::write_log(Json& report, const std::string& stem) const {
    const std::vector<live::Act> acts = steering_->log();
    if (!acts.empty()) report["steering"] = acts_as_json(acts);
    fs::path file = common_.watch.log;
    if (file.empty() && !acts.empty() && viewer_ != nullptr) file = stem + ".log.json";
    if (file.empty()) return {};
    is_logged_ = true;
    const Json log{{"dunlin", version}, {"command", report.value("command", "")}, {"steering", acts_as_json(acts)}};
    std::vector<fs::path> written;
    add_output(common_, written, file, [&] { io::write_text(file, json_text(log, 1) + "\n"); });
    return written;
}

void Watch::finish(const Map& map, const std::string& title) {
    steered_.reset();
    if (viewer_ == nullptr) return;
    viewer_->watching.reset();
    if (map.size() > 0 && !common_.run.stop.stop_requested()) viewer_->show(map, title, false);
}

int Watch::stay(int code) {
    const bool was_interrupted = common_.run.stop.stop_requested();
    if (steering_->left() > 0 && !was_interrupted)
        tell("warning: {} acts of {} were not done: the run ended before, or is not steered\n", steering_->left(),
             common_.watch.steer.string());
    if (code == interrupted && !was_interrupted && steering_->ending() == live::Verb::stop) code = done;
    if (viewer_ == nullptr || was_interrupted) return code;
    if (!common_.quiet) tell("the map is shown until its pages are closed; Ctrl-C ends\n");
    viewer_->view.stay(common_.run.stop);
    return code;
}

bool Watch::goes_on() const {
    if (common_.run.stop.stop_requested() || !steered_) return false;
    const live::Verb last = steering_->ending();
    return (viewer_ != nullptr && last != live::Verb::stop) || steering_->left() > 0;
}

std::vector<std::uint8_t> Watch::pins(std::vector<std::uint8_t> pinned) const {
    pinned.resize(static_cast<std::size_t>(count_));
    for (const live::Act& act : steering_->log()) {
        if (act.verb == live::Verb::nudge) continue;
        for (const Index point : act.points) pinned[static_cast<std::size_t>(point)] = act.verb == live::Verb::pin;
    }
    return pinned;
}

bool Watch::go_on(const Map& map, const std::string& title, const std::function<void()>& place) {
    if (viewer_ != nullptr) {
        viewer_->show(map, title, true);
        viewer_->view.expect_pages();
    }
    const auto before = steering_->log().size();
    steering_->keep_warm(true, viewer_ != nullptr);
    std::jthread leaver([this](const std::stop_token& stop) {
        while (viewer_ != nullptr && !stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            if (!viewer_->view.is_deserted() || !steering_->now().is_open) continue;
            try {
                steering_->resume();
                steering_->act({.verb = live::Verb::finish});
                return;
            } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the loop has just ended
            }
        }
    });
    place();
    steering_->keep_warm(false);
    const std::vector<live::Act> log = steering_->log();
    // The finish of closed pages changes nothing
    return log.size() > before + (steering_->ending() == live::Verb::finish ? 1 : 0) || was_saved();
}

}  // namespace dunlin::app
