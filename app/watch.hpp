// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/picture.hpp>
#include <dunlin/steering.hpp>

#include "common.hpp"

/// --watch: the map of a run in a browser while it forms.
namespace dunlin::app {

void add_watch_flags(CLI::App& app, CommonOptions& common);

/// Data that pages show beside the map. Holds references, which must stay valid while the run is watched.
struct WatchedPoints {
    Index count = 0;
    const std::vector<std::string>& ids;
    const Labels& labels;
    const Graph& graph;
    std::optional<Matrix> data = {};
    neighbors::Metric metric = neighbors::Metric::euclidean;
};

/// Shows the maps of the methods that are called during its lifetime, if --watch is given, and steers them, by the acts
/// of --steer and of the pages. Throws Error for flags that need --watch, and for a log that cannot be read.
class Watch {
public:
    /// Sets common.run.on_progress, of which the pages learn.
    Watch(CommonOptions& common, const WatchedPoints& points, picture::Options style, const std::string& title);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    Watch(Watch&&) = delete;
    Watch& operator=(Watch&&) = delete;

    /// Adds the log to the report if something was done, and writes it: to the file of --log, or, after acts of a page,
    /// to STEM.log.json. Returns the file that was written, if any. Of a run that ends with an error the destructor
    /// writes the log: to the file of --log or unfinished.log.json.
    std::vector<fs::path> write_log(nlohmann::ordered_json& report, const std::string& stem) const;
    /// The last map.
    void finish(const Map& map, const std::string& title);
    /// Waits while pages are open. Returns the exit code of a command that had this one: a run that a page stopped
    /// has ended well.
    int stay(int code);

    /// Whether a layout that has converged goes on after an act: it is watched, or has more acts to replay.
    [[nodiscard]] bool goes_on() const;
    /// Shows the map, and lets place() go on from it, at rest. Returns whether something was done.
    bool go_on(const Map& map, const std::string& title, const std::function<void()>& place);
    /// Returns one flag per point: whether it is pinned after the acts. pinned: the flags before the acts. Empty: none.
    [[nodiscard]] std::vector<std::uint8_t> pins(std::vector<std::uint8_t> pinned) const;
    /// The last loop ended to be saved: it goes on.
    [[nodiscard]] bool was_saved() const { return steering_->ending() == live::Verb::save; }

private:
    struct Viewer;

    std::unique_ptr<live::Steering> steering_;
    std::optional<live::Steered> steered_;
    std::unique_ptr<Viewer> viewer_;
    CommonOptions& common_;
    Index count_;
    mutable bool is_logged_ = false;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace dunlin::app
