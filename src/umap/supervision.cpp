// SPDX-License-Identifier: Apache-2.0
#include "umap/supervision.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "descent/given.hpp"
#include "device/choose.hpp"
#include "graph/symmetrize.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::umap {

void check_labels(const Options& options, const Labels* labels, Index n) {
    const bool given = labels != nullptr && !labels->empty();
    if (given == (options.labels_weight > 0)) {
        if (given) descent::require_size(static_cast<Index>(labels->of.size()), n, "list of labels");
        return;
    }
    throw Error(
        Fault::bad_input,
        given ? std::string("labels are given, but labels-weight is 0; raise labels-weight or leave the labels out")
              : fmt::format("labels-weight is {}, but the points have no labels; give labels or leave "
                            "labels-weight out",
                            options.labels_weight),
        {.option = "labels-weight"});
}

Graph supervised_on(device::Cpu& cpu, Graph memberships, const Labels* labels, float weight) {
    if (labels == nullptr) return memberships;
    cpu.each(memberships.size(),
             SuperviseRow{memberships.offsets.data(), memberships.targets.data(), labels->of.data(),
                          LabelFactors(weight), memberships.weights.data()},
             256);
    return graph::symmetrize(cpu, memberships, memberships.weights, graph::FuzzyMix{1});
}

Graph supervised(const Graph& memberships, const Labels& labels, float weight, const Run& run) {
    Options options;
    options.labels_weight = weight;
    options::check(options);
    check_labels(options, &labels, memberships.size());
    device::check(run);
    device::Cpu cpu(run);
    Graph result;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "memberships", 1);
        result = supervised_on(cpu, memberships, &labels, weight);
    });
    return result;
}

}  // namespace dunlin::umap
