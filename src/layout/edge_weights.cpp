// SPDX-License-Identifier: Apache-2.0
#include "layout/edge_weights.hpp"

#include <algorithm>

namespace dunlin::layout {

namespace {

/// of(weight) of every edge, divided by the mean.
template <class Of>
std::vector<float> with_mean_one(device::Cpu& cpu, const std::vector<float>& weights, const Of& of) {
    const auto value = [&](Offset e) { return of(static_cast<double>(weights[static_cast<std::size_t>(e)])); };
    const auto edges = static_cast<Offset>(weights.size());
    device::Cell<double> sum;
    cpu.sum(edges, value, sum);
    const double scale = static_cast<double>(edges) / sum.value;
    std::vector<float> result(weights.size());
    cpu.each(edges, [&](Offset e) { result[static_cast<std::size_t>(e)] = static_cast<float>(scale * value(e)); });
    return result;
}

}  // namespace

EdgeWeights edge_weights(device::Cpu& cpu, const Graph& graph, Weights meaning) {
    const std::vector<float>& weights = graph.weights;
    if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 1; })) return {};
    if (meaning == Weights::strength) return {with_mean_one(cpu, weights, [](double w) { return w; }), {}};
    return {with_mean_one(cpu, weights, [](double w) { return 1 / w; }),
            with_mean_one(cpu, weights, [](double w) { return w; })};
}

}  // namespace dunlin::layout
