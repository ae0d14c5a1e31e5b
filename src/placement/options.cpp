// SPDX-License-Identifier: Apache-2.0
#include "placement/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "forces/places.hpp"
#include "options/check.hpp"
#include "pacmap/resolve.hpp"
#include "placement/state.hpp"
#include "tsne/resolve.hpp"
#include "umap/resolve.hpp"

namespace dunlin::placement {

namespace {

void check_options(const Map& map, const Options& options) {
    options::check(options);
    if (options.method == Method::umap) umap::check(umap_options_of(options));
    forces::require_places(map, "map", forces::Holes::refused, descent::most_dimensions);
    if (map.dim > 3 && options.method == Method::tsne) {
        throw Error(Fault::bad_input,
                    fmt::format("the map has {} dimensions and method is tsne, whose maps have 1 to 3; take the method "
                                "that made it, umap or pacmap",
                                map.dim),
                    {.option = "method"});
    }
    if (map.dim > 3 && options.repulsion == Potential::grid) {
        throw Error(
            Fault::bad_input,
            fmt::format("repulsion is grid and the map has {} dimensions; there are grids up to 3, take auto or "
                        "exact",
                        map.dim),
            {.option = "repulsion"});
    }
}

tsne::Options tsne_options_of(const Options& o) { return {.perplexity = o.perplexity, .k = o.k, .pca = o.pca}; }
pacmap::Options pacmap_options_of(const Options& o) { return {.k = o.k, .pca = o.pca}; }

/// Throws if an option is given that differs from that of the state.
template <class T>
void require_as_saved(const char* name, const std::optional<T>& wanted, const T& saved) {
    if (!wanted || *wanted == saved) return;
    throw Error(Fault::bad_input,
                fmt::format("{} is {} but the state was made with {}; leave it out, or make the state again", name,
                            text_of(*wanted), text_of(saved)),
                {.option = name});
}

/// Sets the options that a state has.
void take_saved(const State& state, Options& o) {
    require_as_saved("method", std::optional(o.method), state.method);
    if (o.method == Method::tsne) {
        require_as_saved("perplexity", o.perplexity, state.perplexity);
        o.perplexity = state.perplexity;
    }
    if (o.method == Method::umap)
        require_as_saved("local-connectivity", std::optional(o.local_connectivity), state.local_connectivity);
    require_as_saved("k", o.k, state.k);
    require_as_saved("pca", o.pca, state.pca);
    require_as_saved("metric", std::optional(o.metric), state.metric);
    o.k = state.k;
    o.pca = state.pca;
}

/// Sets perplexity, k and pca for these points and the length of given lists.
void resolve_neighbors(MatrixView<const float> points, const Graph* lists, Options& o) {
    const Index n = points.rows;
    const Index degree = std::max<Index>(lists != nullptr ? static_cast<Index>(lists->edges() / n) : n - 1, 1);
    if (o.method == Method::tsne) {
        const tsne::Options resolved = tsne::resolve_neighbors(tsne_options_of(o), n, points.cols, degree);
        o.perplexity = resolved.perplexity;
        o.k = lists != nullptr ? degree : resolved.k;
        o.pca = resolved.pca;
    } else if (o.method == Method::umap) {
        umap::Options resolved = umap::resolve_neighbors(umap_options_of(o), n, points.cols, degree);
        if (lists != nullptr) umap::take_degree(resolved, degree);
        o.k = resolved.k;
        o.pca = resolved.pca;
    } else {
        const pacmap::Options resolved = pacmap::resolve_neighbors(pacmap_options_of(o), n, points.cols, degree);
        o.k = resolved.k;
        o.pca = resolved.pca;
    }
}

}  // namespace

void require_placeable(const tsne::Options& made) {
    const auto refuse = [](bool is_set, const char* name, const std::string& value) {
        if (!is_set) return;
        throw Error(Fault::bad_input,
                    fmt::format("{0} is {1}, but new points are placed only in maps of one perplexity and Gaussian "
                                "affinities, without anchors; leave {0} out",
                                name, value),
                    {.option = name});
    };
    refuse(made.perplexities.has_value(), "perplexities", made.perplexities.value_or(""));
    refuse(made.affinities != tsne::AffinityKind::gaussian, "affinities", std::string(name_of(made.affinities)));
    refuse(made.anchor != tsne::Anchor::none, "anchor", std::string(name_of(made.anchor)));
}

void require_placeable(const umap::Options& made) {
    if (!made.densmap) return;
    throw Error(Fault::bad_input,
                "densmap is on, but new points are placed only in maps without densities; leave densmap out",
                {.option = "densmap"});
}

Options options_of(const tsne::Options& made) {
    return {.perplexity = made.perplexity,
            .k = made.k,
            .pca = made.pca,
            .metric = made.metric,
            .search = made.search,
            .recall = made.recall,
            .exaggeration = made.late_exaggeration.value_or(1),
            .freedom = made.freedom};
}

namespace {

/// Copies the options of UMAP's curve, graph and repulsion.
template <class From, class To>
To with_umap(To to, const From& from) {
    to.min_dist = from.min_dist;
    to.spread = from.spread;
    to.a = from.a;
    to.b = from.b;
    to.local_connectivity = from.local_connectivity;
    to.mix = from.mix;
    to.negatives = from.negatives;
    to.repulsion_strength = from.repulsion_strength;
    to.softening = from.softening;
    return to;
}

}  // namespace

Options options_of(const umap::Options& made) {
    const Options options{.method = Method::umap,
                          .k = made.k,
                          .pca = made.pca,
                          .metric = made.metric,
                          .search = made.search,
                          .recall = made.recall};
    return with_umap(options, made);
}

Options options_of(const pacmap::Options& made) {
    return {.method = Method::pacmap,
            .k = made.k,
            .pca = made.pca,
            .metric = made.metric,
            .search = made.search,
            .recall = made.recall,
            .further = made.further};
}

umap::Options umap_options_of(const Options& o) { return with_umap(umap::Options{.k = o.k, .pca = o.pca}, o); }

float default_spacing(const Options& options, int dim) {
    const auto of = [&](auto made) {
        made.dim = dim;
        made.repulsion = descent::Repulsion::grid;
        options::settle(made);
        return *made.spacing;
    };
    if (options.method == Method::tsne) return of(tsne::Options{}) * std::sqrt(options.freedom);
    return options.method == Method::umap ? of(umap::Options{}) : of(pacmap::Options{});
}

void check_place(MatrixView<const float> points, const Map& map, const Options& options, const Run& run,
                 const Given& given) {
    check_options(map, options);
    descent::check_points(points, options.metric, {}, {.neighbors = given.neighbors}, run, "placing in a map");
    descent::require_size(map.size(), points.rows, "map");
    if (given.state != nullptr) check_state(*given.state, points);
}

void check_map(const Map& map, const Options& options) {
    check_options(map, options);
    if (map.size() == 0) throw Error(Fault::bad_input, "the map has no points; points are placed among others");
}

void check_start(const Map& start, Index queries, int dim) {
    if (start.dim != dim) {
        throw Error(Fault::bad_input,
                    fmt::format("the start has {} dimensions and the map {}; they must agree", start.dim, dim));
    }
    descent::check_start(start, queries);
}

Options resolve_law(const Options& wanted) {
    Options o = wanted;
    if (o.method == Method::umap && !o.a) {
        const umap::Curve curve = umap::fit_curve(o.min_dist, o.spread);
        o.a = curve.a, o.b = curve.b;
    }
    options::settle(o);
    return o;
}

descent::ListRule list_rule(const Options& o) {
    if (o.method == Method::tsne) return tsne::list_rule(tsne_options_of(o));
    return o.method == Method::umap ? umap::list_rule(umap_options_of(o)) : pacmap::list_rule(pacmap_options_of(o));
}

Options resolve_place(const Options& wanted, MatrixView<const float> points, const Given& given) {
    Options o = wanted;
    if (given.state != nullptr) {
        take_saved(*given.state, o);
    } else {
        resolve_neighbors(points, given.neighbors, o);
    }
    return resolve_law(o);
}

}  // namespace dunlin::placement
