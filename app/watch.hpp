// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <dunlin/picture.hpp>

#include "common.hpp"

/// --watch: the map of a run in a browser while it forms.
namespace dunlin::app {

void add_watch_flags(CLI::App& app, CommonOptions& common);

/// What pages show beside the map; referred to while the run is watched.
struct WatchedPoints {
    Index count = 0;
    const std::vector<std::string>& ids;
    const Labels& labels;
    const Graph& graph;
    std::optional<Matrix> data = {};
    neighbors::Metric metric = neighbors::Metric::euclidean;
};

/// Shows the maps of the methods that are called during its lifetime, if --watch is given. Throws Error for flags that
/// need it.
class Watch {
public:
    /// Sets common.run.on_progress, of which the pages learn.
    Watch(CommonOptions& common, const WatchedPoints& points, picture::Options style, const std::string& title);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    Watch(Watch&&) = delete;
    Watch& operator=(Watch&&) = delete;

    /// The last map.
    void finish(const Map& map, const std::string& title);
    /// Waits while pages are open. Returns the exit code of a command that had this one.
    int stay(int code);

private:
    struct Viewer;
    std::unique_ptr<Viewer> viewer_;
};

}  // namespace dunlin::app
