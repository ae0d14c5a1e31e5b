// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <dunlin/pacmap.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "bind.hpp"
#include "embedding.hpp"

namespace dunlin::python {

namespace {

struct Tsne {
    using Options = tsne::Options;
    using Result = tsne::Result;
    using Given = tsne::Given;
    static Options options_of_preset(const std::string& preset) {
        return tsne::options_of(value_of<tsne::Preset>(nb::cast(preset), "preset"));
    }
    template <class... Args>
    static auto embed(Args&&... args) {
        return tsne::embed(std::forward<Args>(args)...);
    }
    static void put_cost(nb::dict& all, const Result& result) {
        all["kl"] = result.kl;
        all["kl_se"] = result.kl_se;
        all["symmetrized"] = result.symmetrized;
    }
};

struct Umap {
    using Options = umap::Options;
    using Result = umap::Result;
    using Given = umap::Given;
    static Options options_of_preset(const std::string& preset) {
        return umap::options_of(value_of<umap::Preset>(nb::cast(preset), "preset"));
    }
    template <class... Args>
    static auto embed(Args&&... args) {
        return umap::embed(std::forward<Args>(args)...);
    }
    static void put_cost(nb::dict& all, const Result& result) {
        all["cross_entropy"] = result.cross_entropy;
        all["cross_entropy_se"] = result.cross_entropy_se;
    }
};

struct Pacmap {
    using Options = pacmap::Options;
    using Result = pacmap::Result;
    using Given = pacmap::Given;
    static Options options_of_preset(const std::string&) { return {}; }
    template <class... Args>
    static auto embed(Args&&... args) {
        return pacmap::embed(std::forward<Args>(args)...);
    }
    static void put_cost(nb::dict& all, const Result& result) {
        all["loss"] = result.loss;
        all["loss_se"] = result.loss_se;
    }
};

nb::tuple affinities(const nb::tuple& neighbors, const nb::dict& options, const std::optional<Floats>& given,
                     const nb::dict& run, nb::object callback) {
    const Graph graph = graph_of(neighbors);
    const auto chosen = options_from<tsne::Options>(options);
    std::vector<float> weights;
    if (given) weights.assign(given->data(), given->data() + given->size());
    Watched watched(run, std::move(callback), 0);
    Graph result = watched([&](const Run& r) { return tsne::affinities(graph, chosen, r, weights); });
    return nb::make_tuple(graph_arrays(std::move(result)), watched.raised());
}

/// Memberships of neighbors; where there are labels, supervised with options.labels_weight.
nb::tuple memberships(const nb::tuple& neighbors, const std::optional<Indices>& labels, const nb::dict& options,
                      const nb::dict& run, nb::object callback) {
    const Graph graph = graph_of(neighbors);
    const auto chosen = options_from<umap::Options>(options);
    const Labels classes = labels_from(labels);
    Watched watched(run, std::move(callback), 0);
    Graph result = watched([&](const Run& r) {
        Graph joined = umap::memberships(graph, chosen, r);
        if (!labels || r.stop.stop_requested()) return joined;
        return umap::supervised(joined, classes, chosen.labels_weight, r);
    });
    return nb::make_tuple(graph_arrays(std::move(result)), watched.raised());
}

/// umap::log_radii; (an array or None if cancelled, what a callback raised).
nb::tuple log_radii(const nb::tuple& neighbors, const std::optional<Indices>& labels, const nb::dict& options,
                    int power, const nb::dict& run, nb::object callback) {
    const Graph graph = graph_of(neighbors);
    const auto chosen = options_from<umap::Options>(options);
    const Labels classes = labels_from(labels);
    Watched watched(run, std::move(callback), 0);
    std::vector<float> radii =
        watched([&](const Run& r) { return umap::log_radii(graph, chosen, power, r, labels ? &classes : nullptr); });
    return nb::make_tuple(array_of(std::move(radii)), watched.raised());
}

nb::tuple curve(float min_dist, float spread) {
    const umap::Curve fitted = umap::fit_curve(min_dist, spread);
    return nb::make_tuple(fitted.a, fitted.b);
}

}  // namespace

void bind_embeddings(nb::module_& module) {
    bind_embedding<Tsne>(module, "tsne");
    bind_embedding_of_graph<Tsne>(module, "tsne_of_affinities");
    module.def("affinities", affinities, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none());
    bind_embedding<Umap>(module, "umap");
    bind_embedding_of_graph<Umap>(module, "umap_of_memberships");
    module.def("memberships", memberships, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none());
    module.def("log_radii", log_radii, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    module.def("curve", curve);
    bind_embedding<Pacmap>(module, "pacmap");
}

}  // namespace dunlin::python
