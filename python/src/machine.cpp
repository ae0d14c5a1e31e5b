// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dunlin/clusters.hpp>
#include <dunlin/communities.hpp>
#include <dunlin/density.hpp>
#include <dunlin/gpus.hpp>
#include <dunlin/inverse.hpp>
#include <dunlin/io.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/kmedoids.hpp>
#include <dunlin/labels.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/names.hpp>
#include <dunlin/narrow.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/network.hpp>
#include <dunlin/normalize.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/parametric.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/separation.hpp>
#include <dunlin/surface.hpp>
#include <dunlin/threads.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>
#include <dunlin/waves.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

nb::dict lists_of_options() {
    nb::dict all;
    all["tsne"] = described_options<tsne::Options>();
    all["place"] = described_options<placement::Options>();
    all["inverse"] = described_options<umap::InverseOptions>();
    all["parametric"] = described_options<parametric::Options>();
    all["umap"] = described_options<umap::Options>();
    all["pacmap"] = described_options<pacmap::Options>();
    all["neighbors"] = described_options<neighbors::Options>();
    all["kmeans"] = described_options<kmeans::Options>();
    all["clusters"] = described_options<clusters::Options>();
    all["separation"] = described_options<clusters::SeparationOptions>();
    all["kmedoids"] = described_options<kmedoids::Options>();
    all["naming"] = described_options<naming::Options>();
    all["communities"] = described_options<communities::Options>();
    all["sequences"] = described_options<sequences::Options>();
    all["mixture"] = described_options<mixture::Options>();
    all["layout"] = described_options<layout::Options>();
    all["mds"] = described_options<mds::Options>();
    all["normalize"] = described_options<NormalizeOptions>();
    all["mds_points"] = described_options<mds::PointOptions>();
    all["reliability"] = described_options<reliability::Options>();
    all["scores"] = described_options<scores::Options>();
    all["layout_scores"] = described_options<scores::LayoutOptions>();
    all["stress"] = described_options<mds::StressOptions>();
    all["read"] = described_options<io::ReadOptions>();
    all["read_graph"] = described_options<io::NetworkOptions>();
    all["draw"] = described_options<picture::Options>();
    all["landscape"] = described_options<picture::LandscapeOptions>();
    all["density"] = described_options<density::Options>();
    all["surface"] = described_options<surface::Options>();
    all["hulls"] = described_options<surface::HullOptions>();
    all["waves"] = described_options<waves::Options>();
    all["run"] = described_options<Run>();
    all["checkpoint"] = described_options<CheckpointOptions>();
    return all;
}

nb::dict preset(const std::string& name) {
    return dict_of(tsne::options_of(value_of<tsne::Preset>(nb::cast(name), "preset")));
}

using NumberMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

ForeignMatrix foreign(const NumberMatrix& array) {
    const auto item = static_cast<Offset>(array.itemsize());
    return {array.data(),           number_type_of(array.dtype()), index_of(array.shape(0)), index_of(array.shape(1)),
            array.stride(0) * item, array.stride(1) * item};
}

nb::tuple narrow_array(const NumberMatrix& array, const std::string& offsets, const nb::dict& run,
                       const std::optional<NumberMatrix>& reference) {
    const ForeignMatrix matrix = foreign(array), of_offsets = reference ? foreign(*reference) : matrix;
    const auto how = value_of<ColumnOffsets>(nb::cast(offsets), "offsets");
    Watched watched(run, nb::none(), 0);
    Narrowed narrowed = watched([&](const Run& r) { return dunlin::narrow(matrix, of_offsets, how, r); });
    const nb::object shift = narrowed.shift.empty() ? nb::none() : array_of(std::move(narrowed.shift));
    return nb::make_tuple(array_of(narrowed.values), shift, watched.raised());
}

bool has_offsets_of(const NumberMatrix& array, const std::string& offsets) {
    return has_offsets(foreign(array), value_of<ColumnOffsets>(nb::cast(offsets), "offsets"));
}

/// (codes, names, notes) of labels whose missing ones are names.
nb::tuple settled_labels(const Indices& of, const std::vector<std::string>& names) {
    Labels labels = settled(labels_from(of, names));
    std::vector<io::Note> notes;
    note_unlabeled(labels, notes);
    nb::list said;
    for (const io::Note& note : notes) said.append(note.what);
    return nb::make_tuple(array_of(std::move(labels.of)), std::move(labels.names), said);
}

nb::list list_of_gpus() {
    nb::list all;
    for (const Gpu& gpu : dunlin::gpus()) all.append(nb::make_tuple(gpu.name, gpu.memory, gpu.free_memory));
    return all;
}

}  // namespace

void bind_machine(nb::module_& module) {
    module.def("lists_of_options", lists_of_options);
    module.def("preset", preset);
    module.def("narrow", narrow_array, nb::arg(), nb::arg(), nb::arg(), nb::arg("reference") = nb::none());
    module.def("has_offsets", has_offsets_of);
    module.def("settled_labels", settled_labels);
    module.def("gpus", list_of_gpus);
    module.def("why_no_gpu", [] { return dunlin::why_no_gpu(); });
    module.def("usable_threads", [](int wanted) { return usable_threads(wanted); });
    module.def("thread_limit", [] { return thread_limit(); });
    module.def("set_thread_limit", [](int most) { set_thread_limit(most); });
}

}  // namespace dunlin::python
