// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dunlin/distinct.hpp>
#include <dunlin/kmedoids.hpp>
#include <dunlin/known_pairs.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/shepard.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using mds::Dissimilarities;

Dissimilarities of_points(const FloatMatrix& points, const nb::dict& options, const nb::dict& run) {
    const auto chosen = options_from<mds::PointOptions>(options);
    const Matrix matrix = matrix_of(points);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return Dissimilarities::of_points(matrix, chosen, r); });
}

Dissimilarities of_matrix(const FloatMatrix& matrix, const nb::dict& run) {
    const Matrix shared = matrix_of(matrix);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return Dissimilarities::of_matrix(shared, r); });
}

Dissimilarities of_graph(const nb::tuple& graph, const nb::dict& run) {
    Graph edges = graph_of(graph);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return Dissimilarities::of_graph(std::move(edges), r); });
}

using Symbols = ArrayOf<std::uint32_t, 1>;
using Offsets = ArrayOf<Offset, 1>;
using DoubleMatrix = ArrayOf<double, 2>;

sequences::Strings strings_from(const Symbols& symbols, const Offsets& offsets) {
    return {{symbols.data(), symbols.data() + symbols.size()}, {offsets.data(), offsets.data() + offsets.size()}};
}

sequences::Tracks tracks_from(const DoubleMatrix& positions, const Offsets& offsets, bool geographic) {
    return {static_cast<int>(index_of(positions.shape(1))),
            {positions.data(), positions.data() + positions.size()},
            {offsets.data(), offsets.data() + offsets.size()},
            geographic};
}

Dissimilarities of_strings(const Symbols& symbols, const Offsets& offsets, const nb::dict& options,
                           const nb::dict& run) {
    const auto chosen = options_from<sequences::Options>(options);
    const sequences::Strings items = strings_from(symbols, offsets);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return Dissimilarities::of_strings(items, chosen, r); });
}

Dissimilarities of_tracks(const DoubleMatrix& positions, const Offsets& offsets, bool geographic,
                          const nb::dict& options, const nb::dict& run) {
    const auto chosen = options_from<sequences::Options>(options);
    const sequences::Tracks items = tracks_from(positions, offsets, geographic);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return Dissimilarities::of_tracks(items, chosen, r); });
}

nb::object array_of_square(const Matrix& matrix) {
    const auto n = static_cast<std::size_t>(matrix.rows());
    const float* const values = matrix.view().data;
    return array_of(std::vector<float>(values, values + n * n), {n, n});
}

nb::object string_distances(const Symbols& symbols, const Offsets& offsets, const nb::dict& options,
                            const nb::dict& run) {
    const auto chosen = options_from<sequences::Options>(options);
    const sequences::Strings items = strings_from(symbols, offsets);
    Watched watched(run, nb::none(), 0);
    return array_of_square(watched([&](const Run& r) { return sequences::distances(items, chosen, r); }));
}

nb::object track_distances(const DoubleMatrix& positions, const Offsets& offsets, bool geographic,
                           const nb::dict& options, const nb::dict& run) {
    const auto chosen = options_from<sequences::Options>(options);
    const sequences::Tracks items = tracks_from(positions, offsets, geographic);
    Watched watched(run, nb::none(), 0);
    return array_of_square(watched([&](const Run& r) { return sequences::distances(items, chosen, r); }));
}

nb::tuple medoids(const Dissimilarities& items, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<kmedoids::Options>(options);
    Watched watched(run, std::move(callback), 0);
    kmedoids::Result result = watched([&](const Run& r) { return kmedoids::cluster(items, chosen, r); });
    nb::dict all = outcome_of(result);
    all["labels"] = array_of(std::move(result.labels));
    all["counts"] = array_of(std::move(result.counts));
    all["inertia"] = result.inertia;
    all["silhouette"] = result.silhouette;
    all["swaps"] = result.swaps;
    const auto clusters = static_cast<Index>(result.medoids.size());
    nb::list said;
    const std::string few = sentence_of_distinct(distinct_items(items, clusters), clusters, "clusters");
    if (!few.empty()) said.append(few);
    all["said"] = said;
    all["medoids"] = array_of(std::move(result.medoids));
    return nb::make_tuple(all, watched.raised());
}

/// Calls function(i, j) with two int32 arrays.
Dissimilarities of_function(Index n, nb::object function) {
    auto* const kept = new nb::object(std::move(function));
    const std::shared_ptr<nb::object> shared(kept, [](nb::object* object) {
        const nb::gil_scoped_acquire acquired;
        delete object;
    });
    return Dissimilarities::of_callback(
        n, [shared](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
            const nb::gil_scoped_acquire acquired;
            const nb::object answer = (*shared)(array_of(std::vector<Index>(i.begin(), i.end())),
                                                array_of(std::vector<Index>(j.begin(), j.end())));
            const nb::object numpy = nb::module_::import_("numpy");
            const auto values = nb::cast<Floats>(numpy.attr("ascontiguousarray")(answer, "float32"));
            if (values.size() != out.size()) {
                throw WrongValue{"distance",
                                 "distance(i, j) returned " + std::to_string(values.size()) + " numbers for " +
                                     std::to_string(out.size()) + " pairs; it must return one per pair",
                                 false};
            }
            std::copy(values.data(), values.data() + values.size(), out.begin());
        });
}

nb::tuple place(const Dissimilarities& items, const std::optional<FloatMatrix>& start,
                const std::optional<FloatMatrix>& fixed, const std::optional<FloatMatrix>& weights,
                const nb::dict& options, const nb::dict& run, nb::object callback, int every, const nb::object& names) {
    const auto chosen = options_from<mds::Options>(options);
    const Map from = start ? map_of(*start) : Map{}, kept = fixed ? map_of(*fixed) : Map{};
    const Matrix counts = weights ? matrix_of(*weights) : Matrix{};
    const mds::Given given{start ? &from : nullptr, fixed ? &kept : nullptr, weights ? &counts : nullptr};
    Watched watched(run, std::move(callback), every, items.size(), chosen.dim);
    mds::Result result = watched([&](const Run& r) { return mds::place(items, chosen, r, given); });
    nb::dict all = outcome_of(result);
    all["embedding"] = array_of(std::move(result.map));
    all["said"] = sentences_of(mds::open_places(items, result.map.dim, given), [&](Index row) {
        if (names.is_none()) return "row " + std::to_string(row);
        return nb::cast<std::string>(nb::repr(nb::str(names[row])));
    });
    all["starts"] = nb::make_tuple(result.starts.tried, result.starts.won, std::string(name_of(result.starts.from)));
    return nb::make_tuple(all, watched.raised());
}

/// weights: those of the objective, which is computed as well then.
nb::tuple stress(const Dissimilarities& items, const FloatMatrix& map, const std::optional<FloatMatrix>& weights,
                 const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<mds::StressOptions>(options);
    const Map placed = map_of(map);
    const Matrix counts = weights ? matrix_of(*weights) : Matrix{};
    scores::Score weighted;
    Watched watched(run, std::move(callback), 0);
    const mds::Stress found = watched([&](const Run& r) {
        if (weights) weighted = {mds::weighted_stress(items, placed, counts, r), 0};
        return mds::stress(items, placed, chosen, r);
    });
    nb::dict all;
    const auto put = [&](const char* name, const scores::Score& score) {
        all[name] = nb::make_tuple(score.value, score.se);
    };
    put("normalized_stress", found.normalized_stress);
    put("stress1", found.stress1);
    put("scaled_stress1", found.scaled_stress1);
    put("map_normalized_stress", found.map_normalized_stress);
    if (weights) put("normalized_stress_weighted", weighted);
    return nb::make_tuple(all, watched.raised());
}

double transformed_stress1(const Dissimilarities& items, const FloatMatrix& map, const std::string& transform,
                           const nb::dict& run) {
    const auto chosen = value_of<mds::Transform>(nb::cast(transform), "transform");
    const Map placed = map_of(map);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return mds::transformed_stress1(items, placed, chosen, nullptr, r); });
}

nb::object stress_per_point(const Dissimilarities& items, const FloatMatrix& map, const nb::dict& options,
                            const nb::dict& run) {
    const auto chosen = options_from<mds::StressOptions>(options);
    const Map placed = map_of(map);
    Watched watched(run, nb::none(), 0);
    return array_of(watched([&](const Run& r) { return mds::stress_per_point(items, placed, chosen, r); }));
}

/// The pairs of a Shepard diagram with their fitted disparities.
nb::dict shepard(const Dissimilarities& items, const FloatMatrix& map, Index pairs, const std::string& transform,
                 const std::optional<FloatMatrix>& weights, const nb::dict& options, const nb::dict& run) {
    const auto chosen = options_from<mds::StressOptions>(options);
    const auto transformed = value_of<mds::Transform>(nb::cast(transform), "transform");
    const Map placed = map_of(map);
    const Matrix given = weights ? matrix_of(*weights) : Matrix{};
    mds::ShepardFit fit;
    Watched watched(run, nb::none(), 0);
    mds::ShepardPairs found = watched([&](const Run& r) {
        mds::ShepardPairs all = mds::shepard_pairs(items, placed, pairs, chosen, r);
        fit = mds::shepard_fit(all, transformed, weights ? &given : nullptr);
        return all;
    });
    nb::dict all;
    all["title"] = mds::shepard_title(found, fit, items.size());
    all["stress1"] = fit.stress1;
    all["fit"] = fit.fit();
    const std::size_t corners = fit.line.size() / 2;
    all["line"] = array_of(std::move(fit.line), {corners, 2});
    all["disparity"] = array_of(std::move(fit.disparities));
    all["first"] = array_of(std::move(found.first));
    all["second"] = array_of(std::move(found.second));
    all["pairs"] = array_of(std::move(found.diagram));
    return all;
}

/// Draws such pairs, or writes them (.csv, .tsv).
nb::object write_shepard(const std::string& path, const std::pair<Indices, Indices>& items, const FloatMatrix& pairs,
                         const ArrayOf<double, 1>& disparities, const std::vector<double>& line,
                         const std::vector<std::string>& ids, const nb::dict& options, const nb::dict& run) {
    const auto chosen = options_from<picture::Options>(options);
    const auto first = span_of(items.first), second = span_of(items.second);
    const mds::ShepardPairs all{{first.begin(), first.end()}, {second.begin(), second.end()}, map_of(pairs)};
    mds::ShepardFit fit;
    fit.disparities.assign(disparities.data(), disparities.data() + disparities.size());
    fit.line = line;
    Watched watched(run, nb::none(), 0);
    watched([&](const Run& r) {
        if (path.ends_with(".csv") || path.ends_with(".tsv")) {
            mds::write_shepard(path, all, fit, ids);
            return true;
        }
        return picture::draw(path, mds::shepard_scatter(all, fit, ids), chosen, r);
    });
    return watched.raised();
}

}  // namespace

void bind_distances(nb::module_& module) {
    const auto none = nb::arg().none();
    nb::class_<Dissimilarities>(module, "Dissimilarities")
        .def_static("of_points", of_points)
        .def_static("of_matrix", of_matrix)
        .def_static("of_graph", of_graph)
        .def_static("of_function", of_function)
        .def_static("of_strings", of_strings)
        .def_static("of_tracks", of_tracks)
        .def("__len__", &Dissimilarities::size)
        .def_prop_ro("missing", &Dissimilarities::missing)
        .def_prop_ro("gpu", &Dissimilarities::gpu)
        .def("allow", &Dissimilarities::set_budget)
        .def_prop_ro("computed", [](const Dissimilarities& items) { return items.usage().computed; });
    module.def("mds", place, nb::arg(), none, none, none, nb::arg(), nb::arg(), none, nb::arg(),
               nb::arg() = nb::none());
    module.def("kmedoids", medoids, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("string_distances", string_distances);
    module.def("track_distances", track_distances);
    module.def("stress", stress, nb::arg(), nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("transformed_stress1", transformed_stress1);
    module.def("stress_per_point", stress_per_point);
    module.def("shepard", shepard, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, nb::arg(), nb::arg());
    module.def("write_shepard", write_shepard);
}

}  // namespace dunlin::python
