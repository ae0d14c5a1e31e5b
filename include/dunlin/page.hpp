// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/mesh.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/plots.hpp>

/// The parts of the page that shows a map in a browser, for programs that serve it. docs/viewer.md describes the page
/// and the frames; picture::draw writes them into one .html file.
namespace dunlin::picture {

/// Content of a page.
struct PageContent {
    std::string facts;                ///< JSON: title, labels, colors, densities ..
    std::vector<std::string> frames;  ///< positions, labels, edges, row numbers .. each a header and payload
    bool relief = false;              ///< it has a landscape or hulls
    bool film = false;                ///< it has frames of a coloring
    bool webgpu = false;              ///< it has so many points or edges that WebGPU draws them faster
    std::vector<Index> rows;          ///< rows[p]: the point at place p of the frames, which are in Morton order
};

/// Content of a page besides points and edges. Null: absent.
struct PageExtras {
    const LandscapeOptions* landscape = nullptr;  ///< of a map of two dimensions; shown at once if its style says so
    const Mesh* hulls = nullptr;                  ///< of a map of three; parts with the name of a label belong to it
    /// k > 1: only a random one of every k successive points (one of all, if there are fewer), for a first picture,
    /// without edges and film. The facts then say of how many points these are (`of`), and legend and view are those of
    /// all points.
    Index one_in = 1;
};

/// The content of a page for a server: frames are not compressed. Row numbers are always in it, ids for up to 2 million
/// points. coloring: null, or a number per point. A graph without vertices: points only. Empty after a stop through
/// `run`. Errors as picture::draw.
DUNLIN_API PageContent page_content(const Map& map, const Graph& graph, const Labels& labels,
                                    const std::vector<std::string>& ids, const Coloring* coloring,
                                    const Options& options = {}, const Run& run = {}, const PageExtras& extras = {});

/// The lattice of a map that moves: coordinates are origin + step * number, numbers from 0 to 65534.
struct MovingBox {
    std::array<double, 3> origin{};
    double step = 0;  ///< 0: there was no map yet
};
/// The box for the next map: the last one, unless the map has left it or fills less than half of it along its longest
/// axis, so that a page needs no new view for every map. A tenth of the map's extent is left free around it. The box
/// does not depend on the number of threads.
DUNLIN_API MovingBox box_around(MatrixView<const float> map, const MovingBox& last, int threads = 1);

/// Identifies a map of a run.
struct MovingMap {
    std::uint32_t number = 0, iteration = 0;
    double seconds = 0;  ///< since the run began
};
/// Frames with the places of the points of a page in a map that has moved. rows: the rows of these points. Uses this
/// number of threads. Points with NaN have the number 65535 on every axis. After its points a frame has the box of
/// those with a place: the least number on every axis, then the greatest (65535 and 0 if there are none), then 1 if a
/// point has NaN, else 0.
DUNLIN_API std::vector<std::string> moving_frames(MatrixView<const float> map, std::span<const Index> rows,
                                                  const MovingBox& box, const MovingMap& which, int threads = 1);

/// The constant files of a page.
struct PageFiles {
    std::string_view body, style, script;
    std::string_view relief_script;  ///< before `script`; content without `relief` does not need it
    std::string_view film_script;    ///< before `script`; content without `film` does not need it
    std::string_view webgpu_script;  ///< before `script`; content without `webgpu` does not need it
    std::string_view run_script;     ///< before `script`, in place of film_script; of pages that may show a run
    std::string_view port_script;    ///< before `script`; only a page inside a notebook needs it
    std::string_view widget_module;  ///< of the notebook around such a page: a module for anywidget
};
DUNLIN_API PageFiles page_files();

}  // namespace dunlin::picture
