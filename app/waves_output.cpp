// SPDX-License-Identifier: Apache-2.0
#include "waves_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>
#include <dunlin/plots.hpp>

#include "network.hpp"

namespace dunlin::app {

namespace {

std::vector<std::string> ids_of(const WavesDomain& domain) {
    if (!domain.network.ids.empty()) return domain.network.ids;
    std::vector<std::string> ids;
    ids.reserve(static_cast<std::size_t>(domain.domain.size()));
    for (Index i = 0; i < domain.domain.size(); ++i) ids.push_back(std::to_string(i));
    return ids;
}

/// Coordinates of the nodes of a grid, one column per axis.
std::vector<std::vector<double>> coordinates_of(const WavesDomain& domain) {
    std::vector<std::vector<double>> columns(domain.is_graph() ? 0 : static_cast<std::size_t>(domain.axes()));
    if (domain.is_graph()) return columns;
    const auto [nx, ny, nz] = domain.domain.nodes;
    for (Index i = 0; i < domain.domain.size(); ++i) {
        const std::array<Index, 3> at{i % nx, i / nx % ny, i / nx / ny};
        for (std::size_t a = 0; a < columns.size(); ++a) columns[a].push_back(at[a] * domain.domain.spacing);
    }
    return columns;
}

void write_table(const fs::path& path, const WavesDomain& domain, const waves::Result& result) {
    const auto axes = coordinates_of(domain);
    io::Columns columns;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        columns.names.emplace_back(1, "xyz"[a]);
        columns.values.emplace_back(axes[a]);
    }
    columns.names.emplace_back("v");
    columns.values.emplace_back(result.field.v);
    if (!result.field.w.empty()) {
        columns.names.emplace_back("w");
        columns.values.emplace_back(result.field.w);
    }
    columns.names.emplace_back("activation");
    columns.values.emplace_back(result.activation);
    io::write_columns(path, columns, domain.is_graph() ? ids_of(domain) : std::vector<std::string>{});
}

/// (snapshots,) species, nodes along each axis, the first axis last.
void write_state(const fs::path& path, const WavesDomain& domain, const waves::Result& result) {
    io::DoubleArray array;
    const std::size_t species = result.field.w.empty() ? 1 : 2;
    if (!result.snapshots.empty()) array.shape.push_back(result.snapshots.size());
    array.shape.push_back(species);
    if (domain.is_graph()) {
        array.shape.push_back(static_cast<std::uint64_t>(domain.domain.size()));
    } else {
        for (auto a = static_cast<std::size_t>(domain.axes()); a-- > 0;)
            array.shape.push_back(static_cast<std::uint64_t>(domain.domain.nodes[a]));
    }
    const auto add = [&](const waves::Field& field) {
        array.values.insert(array.values.end(), field.v.begin(), field.v.end());
        array.values.insert(array.values.end(), field.w.begin(), field.w.end());
    };
    for (const waves::Snapshot& snapshot : result.snapshots) add(snapshot.field);
    if (result.snapshots.empty()) add(result.field);
    io::write_array(path, array);
}

const std::vector<double>& values_of(Shown show, const waves::Result& result) {
    return show == Shown::activation ? result.activation : show == Shown::w ? result.field.w : result.field.v;
}

std::string name_of_values(Shown show, const waves::Result& result) {
    return show == Shown::activation ? "activation time"
                                     : fmt::format("{} at t = {:.4g}", show == Shown::w ? "w" : "v", result.time);
}

std::string caption_of(const waves::Snapshot& snapshot) { return fmt::format("t = {:.4g}", snapshot.time); }

/// The states of the run as frames; of w if that is shown.
picture::ColorFilm film_of(const waves::Result& result, Shown show) {
    picture::ColorFilm film{.name = show == Shown::w ? "w" : "v"};
    for (const waves::Snapshot& snapshot : result.snapshots) {
        film.frames.push_back(show == Shown::w ? snapshot.field.w : snapshot.field.v);
        film.captions.push_back(caption_of(snapshot));
    }
    return film;
}

bool draw_graph_on_map(const fs::path& path, const WavesDomain& domain, const waves::Result& result,
                       const WavesLook& look, const picture::Options& style, const CommonOptions& common) {
    const io::MapFile map = in_order_of(common, io::read_map(look.map, common.run), look.map, domain.network, "GRAPH");
    picture::Coloring coloring{values_of(look.show, result), name_of_values(look.show, result)};
    if (is_page(path)) coloring.film = film_of(result, look.show);
    return picture::draw(path, coloring, domain.network.graph, map.map, domain.network.ids, style,
                         run_of_picture(common));
}

std::string name_of_y(const WavesDomain& domain) {
    const Index nz = domain.domain.nodes[2];
    return nz > 1 ? fmt::format("y, z = {:.4g}", nz / 2 * domain.domain.spacing) : "y";
}

/// The states of a line, or of a grid and after them what a picture shows; of three axes the middle layer.
bool draw_film(const fs::path& path, const WavesDomain& domain, const waves::Result& result, const WavesLook& look,
               const picture::Options& style, const CommonOptions& common) {
    const auto [nx, ny, nz] = domain.domain.nodes;
    const double dx = domain.domain.spacing;
    const bool is_line = domain.axes() == 1, is_of_w = look.show == Shown::w;
    const auto layer = [&, nx = nx, ny = ny, nz = nz](const std::vector<double>& values) {
        return std::span(values).subspan(static_cast<std::size_t>(Offset{nx} * ny * (nz / 2)),
                                         static_cast<std::size_t>(Offset{nx} * ny));
    };
    picture::GridFilm film{.rows = ny,
                           .columns = nx,
                           .name = is_of_w ? "w" : "v",
                           .x = {"x", 0, (nx - 1) * dx},
                           .y = {is_line ? "t" : name_of_y(domain), 0, is_line ? result.time : (ny - 1) * dx}};
    for (const waves::Snapshot& snapshot : result.snapshots) {
        film.frames.push_back(layer(is_of_w ? snapshot.field.w : snapshot.field.v));
        film.captions.push_back(caption_of(snapshot));
    }
    if (!is_line && look.show == Shown::activation) {
        film.last = layer(result.activation);
        film.last_name = name_of_values(look.show, result);
    }
    return picture::draw(path, film, style, run_of_picture(common));
}

bool draw_grid(const fs::path& path, const WavesDomain& domain, const waves::Result& result, const WavesLook& look,
               const picture::Options& style, const CommonOptions& common) {
    const auto [nx, ny, nz] = domain.domain.nodes;
    const double dx = domain.domain.spacing;
    const std::vector<double>& values = values_of(look.show, result);
    picture::Heatmap heatmap{.values = {values.data() + Offset{nx} * ny * (nz / 2), ny, nx},
                             .name = name_of_values(look.show, result),
                             .x = {"x", 0, (nx - 1) * dx},
                             .y = {name_of_y(domain), 0, (ny - 1) * dx},
                             .contours = look.show == Shown::activation};
    return picture::draw(path, heatmap, style, run_of_picture(common));
}

bool draw_spacetime(const fs::path& path, const WavesDomain& domain, const waves::Result& result,
                    const picture::Options& style, const CommonOptions& common) {
    std::vector<double> values;
    for (const waves::Snapshot& snapshot : result.snapshots)
        values.insert(values.end(), snapshot.field.v.begin(), snapshot.field.v.end());
    const Index nx = domain.domain.nodes[0];
    picture::Heatmap heatmap{.values = {values.data(), static_cast<Index>(result.snapshots.size()), nx},
                             .name = "v",
                             .x = {"x", 0, (nx - 1) * domain.domain.spacing},
                             .y = {"t", 0, result.time},
                             .equal_axes = false};
    return picture::draw(path, heatmap, style, run_of_picture(common));
}

bool draw_curve(const fs::path& path, const WavesDomain& domain, const waves::Result& result,
                const picture::Options& style, const CommonOptions& common) {
    std::vector<double> values = result.field.v;
    values.insert(values.end(), result.field.w.begin(), result.field.w.end());
    const Index nx = domain.domain.nodes[0];
    const picture::Curves curves{
        .values = {values.data(), result.field.w.empty() ? 1 : 2, nx},
        .names = result.field.w.empty() ? std::vector<std::string>{"v"} : std::vector<std::string>{"v", "w"},
        .x = {"x", 0, (nx - 1) * domain.domain.spacing},
        .y_name = fmt::format("t = {:.4g}", result.time)};
    return picture::draw(path, curves, style, run_of_picture(common));
}

bool write_picture(const fs::path& path, const WavesDomain& domain, const waves::Result& result, const WavesLook& look,
                   const CommonOptions& common) {
    picture::Options style = look.picture;
    if (style.title.empty()) {
        style.title = fmt::format("{}, {} {}, t = {:.4g}", name_of(result.options.model), domain.domain.size(),
                                  domain.is_graph() ? "vertices" : "nodes", result.time);
    }
    if (domain.is_graph()) return draw_graph_on_map(path, domain, result, look, style, common);
    if (is_page(path)) return draw_film(path, domain, result, look, style, common);
    if (look.show == Shown::spacetime) return draw_spacetime(path, domain, result, style, common);
    if (look.show == Shown::curve) return draw_curve(path, domain, result, style, common);
    return draw_grid(path, domain, result, look, style, common);
}

}  // namespace

Shown settle_shown(Shown show, const WavesDomain& domain, bool has_map) {
    const bool is_line = !domain.is_graph() && domain.axes() == 1;
    if (show == Shown::automatic) show = is_line ? Shown::spacetime : Shown::activation;
    const bool of_line = show == Shown::spacetime || show == Shown::curve;
    const auto refuse = [](const std::string& why) { throw Error(Fault::bad_input, why); };
    if (of_line && !is_line) refuse(fmt::format("--show {} is for lines and rings", name_of(show)));
    if (!of_line && is_line)
        refuse(fmt::format("--show {} is for graphs and grids; use spacetime or curve", name_of(show)));
    if (domain.is_graph() && !has_map)
        refuse("a picture of a graph needs its drawing; give --map (dunlin layout makes one)");
    return show;
}

std::vector<double> times_of_frames(double end, int count) {
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(std::max(count, 0)));
    for (int i = 0; i < count; ++i) times.push_back(end * i / std::max(count - 1, 1));
    return times;
}

bool write_waves(const fs::path& path, const WavesDomain& domain, const waves::Result& result, const WavesLook& look,
                 const CommonOptions& common) {
    if (is_picture(path)) return write_picture(path, domain, result, look, common);
    if (path.extension() == ".npy") {
        write_state(path, domain, result);
    } else {
        write_table(path, domain, result);
    }
    return true;
}

void write_times(const fs::path& path, const WavesDomain& domain, const std::vector<float>& times) {
    const auto n = static_cast<Index>(domain.domain.size());
    io::Points points;
    points.values = Matrix(n, n, times);
    points.columns = ids_of(domain);
    io::write_points(path, points);
}

}  // namespace dunlin::app
