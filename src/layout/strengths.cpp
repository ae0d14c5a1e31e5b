#include "layout/strengths.hpp"

#include <algorithm>

namespace dunlin::layout {

std::vector<float> strengths(device::Cpu& cpu, const Graph& graph, Weights meaning) {
    const std::vector<float>& weights = graph.weights;
    if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 1; })) return {};
    const auto strength = [&](Offset e) {
        const auto w = static_cast<double>(weights[static_cast<std::size_t>(e)]);
        return meaning == Weights::length ? 1 / w : w;
    };
    device::Cell<double> sum;
    cpu.sum(graph.edges(), strength, sum);
    const double scale = static_cast<double>(graph.edges()) / sum.value;
    std::vector<float> result(weights.size());
    cpu.each(graph.edges(),
             [&](Offset e) { result[static_cast<std::size_t>(e)] = static_cast<float>(scale * strength(e)); });
    return result;
}

}  // namespace dunlin::layout
