// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/mesh.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Level surfaces of values on a 3-D grid, by marching tetrahedra, and hulls of the points of a 3-D map as level
/// surfaces of a sum of kernels (metaballs).
namespace dunlin::surface {

/// Values on a grid, in C order: node (x, y, z) is number (x nodes[1] + y) nodes[2] + z and lies at origin + spacing *
/// (x, y, z).
template <class Real>
struct FieldView {
    std::array<Index, 3> nodes{};
    std::span<const Real> values;
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> origin{};

    [[nodiscard]] Offset size() const { return Offset{nodes[0]} * nodes[1] * nodes[2]; }
};

struct Options {
    double level = 0;
    bool open = false;
    /// Numbers of nodes. If there are any, only cells near the surface are visited, on a CPU: from each node the walk
    /// goes along z, on both sides, to the first change of the side, and from there on along the surface. Pieces of the
    /// surface that no node leads to are not found; if all are, the mesh has the bytes of that without seeds.
    std::vector<Offset> seeds = {};
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("level", o.level, "value of the surface; inside is above it"));
    visit(field("open", o.open, "leave the surface open at the border of the grid; else a cap closes it"));
}

/// Size and shape of a surface.
struct Measures {
    double area = 0;                    ///< of all triangles
    double cap = 0;                     ///< of the triangles on the border of the grid, part of `area`
    std::optional<double> volume = {};  ///< of the inside, by the divergence theorem; none for option `open`
    Offset vertices = 0, edges = 0, triangles = 0;
    [[nodiscard]] Offset euler() const { return vertices - edges + triangles; }  ///< 2 for a sphere, 0 for a torus
};

/// Stages: "count" (signs and sizes), "emit" (vertices and triangles). Stopped::converged, or cancelled with an empty
/// mesh.
struct Result : Outcome<Options> {
    Mesh mesh;
    Measures measures = {};
    Offset visited = 0;  ///< cells that were visited: all of the grid, or with seeds those near the surface
};

/// The surface of options.level. Cells are divided into six tetrahedra around a main diagonal (Kuhn's triangulation),
/// the same in all cells; values are linear in each. A value equal to the level is outside. There is one vertex for
/// each edge of a tetrahedron whose ends lie on both sides, at the linearly interpolated position; every edge of the
/// mesh belongs to exactly two triangles of opposite directions (to one on the border of an open surface), also where
/// values equal the level: vertices may coincide there, and triangles may have no area. Normals are interpolated
/// gradients from central differences (one-sided at the border), those of nodes of the cap are normals of the border.
/// Vertices are in an order fixed by the grid, those of the cap last; the result has the same bytes for any number of
/// threads, and on a GPU. Throws Error{bad_input} for fewer than two nodes along an axis, spacing that is not positive,
/// another number of values, a value that is not finite (with its node; with seeds, of the visited cells), a mesh of
/// more than 2^31 - 1 vertices or 2^31 - 1 triangles, or seeds on a GPU, outside the grid, or of a surface that reaches
/// the border and is not to be open.
DUNLIN_API Result extract(const FieldView<float>& grid, const Options& options = {}, const Run& run = {});
DUNLIN_API Result extract(const FieldView<double>& grid, const Options& options = {}, const Run& run = {});

/// Values on a grid that owns them.
struct FieldArray {
    std::array<Index, 3> nodes{};
    std::vector<float> values;
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> origin{};

    [[nodiscard]] FieldView<float> grid() const { return {nodes, values, spacing, origin}; }
};

/// Metaballs: the sum over the points of (1 - r^2 / R^2)^3 for r < R (Wyvill, McPheeters and Wyvill 1986; the poly6
/// kernel of Mueller, Charypar and Gross 2003 without its normalizer), so that a lone point has the value 1. The grid
/// has `cells` cells along the longest side of the points' box, widened by R and a cell on each side, and is 0 on its
/// border. Sums are in double, in an order fixed by points and grid. The time grows with the number of points times (R
/// / spacing)^3. Throws Error{bad_input} unless the map has 3 dimensions, finite coordinates and a point, R > 0, and 4
/// <= cells <= 2048; Error{out_of_memory}. Empty (no nodes) if cancelled.
DUNLIN_API FieldArray metaballs(const Map& map, double radius, int cells, const Run& run = {});

/// Grouping of points into hulls. labels: one hull per label. all: one for all points.
enum class Hulls { labels, all };
constexpr std::array<std::string_view, 2> names(Hulls) { return {"labels", "all"}; }

struct HullOptions {
    Hulls hulls = Hulls::labels;
    std::optional<double> radius = {};
    std::optional<double> level = {};
    double share = 90;
    int cells = 128;
    double opacity = 0.5;
};

template <class Visit>
void fields(Visit&& visit, HullOptions& o) {
    visit(field("hulls", o.hulls, "one hull per label, or one of all points"));
    visit(field("radius", o.radius, "R: distance at which the kernel of a point ends")
              .above(0)
              .by_rule("standard deviation of the kernel: half of Silverman's rule"));
    visit(field("level", o.level, "value of the surface in the sum of the kernels, each 1 at its point")
              .above(0)
              .by_rule("by share"));
    visit(field("share", o.share, "percentage of the points inside a hull")
              .above(0)
              .at_most(100)
              .read(when("no level is given", !o.level)));
    visit(field("cells", o.cells, "cells of the grid along its longest side").at_least(4).at_most(2048));
    visit(field("opacity", o.opacity, "opacity of the hulls in a .glb").above(0).at_most(1));
}

/// A hull of the points of a label.
struct Hull {
    std::string name;  ///< of the label; empty without labels
    Index points = 0;
    double radius = 0;  ///< R
    double level = 0;
    double inside = 0;           ///< share of its points inside, 0 to 1
    double cells_in_radius = 0;  ///< R over the spacing of the grid; below 3 the surface is coarse
    Measures measures = {};
};

/// Stages: "start" (radius), "spread" (sums of kernels), "count", "emit". The mesh has one part per hull. Labels
/// without points, and an empty map, have no hull.
struct HullResult : Outcome<HullOptions> {
    Mesh mesh;
    std::vector<Hull> hulls;
};

/// Hulls of the points of a 3-D map: for each label, the surface of `level` of the metaballs of its points. By share,
/// the level is the largest that leaves at least this percentage of the points inside (a highest-density region,
/// Hyndman 1996). Throws the errors of metaballs, and Error{bad_input} unless there are no labels or one for each
/// point.
DUNLIN_API HullResult hulls(const Map& map, const Labels& labels = {}, const HullOptions& options = {},
                            const Run& run = {});

}  // namespace dunlin::surface
