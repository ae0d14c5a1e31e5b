// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dunlin/clusters.hpp>
#include <dunlin/group_tree_files.hpp>
#include <dunlin/separation.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "group_tree.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using Doubles = ArrayOf<double, 1>;

template <class T>
std::vector<T> copy_of(const nb::dict& values, const char* name) {
    const auto array = nb::cast<ArrayOf<T, 1>>(values[name]);
    return {array.data(), array.data() + array.size()};
}

}  // namespace

GroupTree tree_from(const nb::dict& arrays) {
    GroupTree tree;
    const auto parent = copy_of<Index>(arrays, "parent"), end = copy_of<Index>(arrays, "end"),
               size = copy_of<Index>(arrays, "size"), least = copy_of<Index>(arrays, "least");
    const auto birth = copy_of<double>(arrays, "birth"), death = copy_of<double>(arrays, "death"),
               stability = copy_of<double>(arrays, "stability"), persistence = copy_of<double>(arrays, "persistence");
    const bool has_numbers = arrays.contains("number");  // those of earlier releases have none
    const auto number = has_numbers ? copy_of<Index>(arrays, "number") : std::vector<Index>(parent.size(), -1);
    for (std::size_t g = 0; g < parent.size(); ++g) {
        tree.groups.push_back({parent[g], end.at(g), size.at(g), least.at(g), birth.at(g), death.at(g), stability.at(g),
                               persistence.at(g), number.at(g)});
    }
    tree.home = copy_of<Index>(arrays, "home");
    tree.leaves_at = copy_of<double>(arrays, "leaves_at");
    for (const nb::handle layer : nb::cast<nb::list>(arrays["layers"])) {
        const auto array = nb::cast<Indices>(layer);
        tree.layers.emplace_back(array.data(), array.data() + array.size());
    }
    for (std::size_t i = 0; !has_numbers && !tree.layers.empty() && i < tree.layers.front().size(); ++i)
        tree.groups.at(static_cast<std::size_t>(tree.layers.front()[i])).number = static_cast<Index>(i);
    if (arrays.contains("names") && !arrays["names"].is_none())
        tree.names = nb::cast<std::vector<std::string>>(arrays["names"]);
    return tree;
}

namespace {

/// A column of the groups of a tree.
template <class T>
nb::object column_of(const GroupTree& tree, T Group::* member) {
    std::vector<T> values;
    values.reserve(tree.groups.size());
    for (const Group& group : tree.groups) values.push_back(group.*member);
    return array_of(std::move(values));
}

nb::dict arrays_of(GroupTree&& tree) {
    nb::dict all;
    all["parent"] = column_of(tree, &Group::parent);
    all["end"] = column_of(tree, &Group::end);
    all["size"] = column_of(tree, &Group::size);
    all["least"] = column_of(tree, &Group::least);
    all["birth"] = column_of(tree, &Group::birth);
    all["death"] = column_of(tree, &Group::death);
    all["stability"] = column_of(tree, &Group::stability);
    all["persistence"] = column_of(tree, &Group::persistence);
    all["number"] = column_of(tree, &Group::number);
    all["home"] = array_of(std::move(tree.home));
    all["leaves_at"] = array_of(std::move(tree.leaves_at));
    nb::list layers;
    for (auto& layer : tree.layers) layers.append(array_of(std::move(layer)));
    all["layers"] = layers;
    return all;
}

/// In SciPy's form.
nb::object scipy_linkage(const std::vector<Merge>& linkage) {
    std::vector<double> values;
    values.reserve(4 * linkage.size());
    for (const Merge& merge : linkage) {
        values.insert(values.end(), {static_cast<double>(merge.first), static_cast<double>(merge.second), merge.level,
                                     static_cast<double>(merge.size)});
    }
    return array_of(std::move(values), {linkage.size(), 4});
}

nb::dict values_of(clusters::Result&& result) {
    nb::dict all = outcome_of(result);
    all["labels"] = array_of(std::move(result.labels));
    all["strengths"] = array_of(std::move(result.strengths));
    all["outlier_scores"] = array_of(std::move(result.outlier_scores));
    all["core_distances"] = array_of(std::move(result.core));
    all["linkage"] = scipy_linkage(result.linkage);
    all["tree"] = arrays_of(std::move(result.tree));
    all["n_clusters"] = result.clusters;
    all["exact"] = result.exact;
    return all;
}

nb::tuple cluster_points(const FloatMatrix& points, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<clusters::Options>(options);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    clusters::Result result = watched([&](const Run& r) { return clusters::cluster(view, chosen, r); });
    return nb::make_tuple(values_of(std::move(result)), watched.raised());
}

nb::tuple cluster_matrix(const FloatMatrix& distances, const nb::dict& options, const nb::dict& run,
                         nb::object callback) {
    const auto chosen = options_from<clusters::Options>(options);
    const MatrixView<const float> view = view_of(distances);
    Watched watched(run, std::move(callback), 0);
    clusters::Result result = watched([&](const Run& r) { return clusters::cluster_matrix(view, chosen, r); });
    return nb::make_tuple(values_of(std::move(result)), watched.raised());
}

nb::tuple cluster_graph(const nb::tuple& graph, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<clusters::Options>(options);
    const Graph lists = graph_of(graph);
    Watched watched(run, std::move(callback), 0);
    clusters::Result result = watched([&](const Run& r) { return clusters::cluster_graph(lists, chosen, r); });
    return nb::make_tuple(values_of(std::move(result)), watched.raised());
}

/// What predict() reads of a result, from its arrays.
clusters::Result result_from(const nb::dict& values, const nb::dict& options) {
    clusters::Result result;
    result.options = options_from<clusters::Options>(options);
    result.labels = copy_of<Index>(values, "labels");
    result.strengths = copy_of<double>(values, "strengths");
    result.core = copy_of<double>(values, "core_distances");
    result.tree = tree_from(nb::cast<nb::dict>(values["tree"]));
    result.clusters = static_cast<Index>(result.tree.layers.empty() ? 0 : result.tree.layers.front().size());
    return result;
}

nb::tuple stabilities(const nb::dict& values, const FloatMatrix& points, const nb::dict& options, const nb::dict& run,
                      nb::object callback) {
    const clusters::Result result = result_from(values, options);
    Watched watched(run, std::move(callback), 0);
    std::vector<double> found =
        watched([&](const Run& r) { return clusters::stabilities(result, view_of(points), r); });
    return nb::make_tuple(array_of(std::move(found)), watched.raised());
}

nb::tuple values_of(clusters::Separations&& found, Watched& watched) {
    nb::dict all = outcome_of(found);
    nb::list flags;
    for (Index c = 0; c < std::ssize(found.conductances); ++c) flags.append(found.map_only(c));
    all["map_only"] = flags;
    all["conductances"] = array_of(std::move(found.conductances));
    all["grown_conductances"] = array_of(std::move(found.grown));
    return nb::make_tuple(all, watched.raised());
}

nb::tuple separations(const ArrayOf<Index, 1>& labels, const FloatMatrix& data, const nb::dict& options,
                      const nb::dict& run, nb::object callback) {
    const std::vector<Index> of_points(labels.data(), labels.data() + labels.size());
    const auto chosen = options_from<clusters::SeparationOptions>(options);
    Watched watched(run, std::move(callback), 0);
    clusters::Separations found =
        watched([&](const Run& r) { return clusters::separations(of_points, view_of(data), chosen, r); });
    return values_of(std::move(found), watched);
}

nb::tuple separations_in_graph(const ArrayOf<Index, 1>& labels, const nb::tuple& graph, const nb::dict& run,
                               nb::object callback) {
    const std::vector<Index> of_points(labels.data(), labels.data() + labels.size());
    const Graph lists = graph_of(graph);
    Watched watched(run, std::move(callback), 0);
    clusters::Separations found = watched([&](const Run& r) { return clusters::separations(of_points, lists, r); });
    return values_of(std::move(found), watched);
}

nb::dict tree_of_levels(const nb::list& levels) {
    std::vector<std::vector<Index>> partitions;
    for (const nb::handle level : levels) {
        const auto array = nb::cast<Indices>(level);
        partitions.emplace_back(array.data(), array.data() + array.size());
    }
    return arrays_of(tree_of_partitions(partitions));
}

void save_tree(const nb::dict& arrays, const std::string& path, const std::vector<std::string>& ids) {
    io::write_group_tree(path, tree_from(arrays), ids);
}

nb::tuple predict(const nb::dict& values, const FloatMatrix& points, const FloatMatrix& queries,
                  const nb::dict& options, const nb::dict& run) {
    const clusters::Result result = result_from(values, options);
    Watched watched(run, nb::none(), 0);
    clusters::Predicted predicted =
        watched([&](const Run& r) { return clusters::predict(result, view_of(points), view_of(queries), r); });
    return nb::make_tuple(array_of(std::move(predicted.labels)), array_of(std::move(predicted.strengths)),
                          watched.raised());
}

nb::object cut_linkage(const ArrayOf<double, 2>& linkage, Index points, double t, Index least) {
    std::vector<Merge> merges;
    for (std::size_t i = 0; i < linkage.shape(0); ++i) {
        const double* const row = linkage.data() + 4 * i;
        merges.push_back(
            {static_cast<Offset>(row[0]), static_cast<Offset>(row[1]), row[2], static_cast<Index>(row[3])});
    }
    return array_of(cut(merges, points, t, least));
}

}  // namespace

void bind_clusters(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("clusters", cluster_points, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("clusters_of_matrix", cluster_matrix, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("clusters_of_graph", cluster_graph, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("predict_clusters", predict);
    module.def("cluster_stabilities", stabilities, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("separations", separations, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("separations_in_graph", separations_in_graph, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("cut_linkage", cut_linkage);
    module.def("tree_of_levels", tree_of_levels);
    module.def("save_tree", save_tree);
}

}  // namespace dunlin::python
