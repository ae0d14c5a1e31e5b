#include "mds/pull.hpp"

#include <numeric>

namespace dunlin::mds {

namespace {

std::vector<Index> all_rows(Index n) {
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
}

}  // namespace

void pull_all(device::Cpu& cpu, const CpuItems& items, Shape<device::Cpu>& shape) {
    const auto dim = static_cast<std::size_t>(shape.dim);
    const std::vector<Index> rows = all_rows(shape.n);
    std::vector<double> force(shape.y.size(), 0.0);
    std::fill(shape.error.begin(), shape.error.end(), 0.0);
    meet_all(
        cpu, *items.source, shape.y.data(), shape.dim, items.weights, rows,
        [&](std::size_t row, const Meeting& meeting) { shape.error[row] += pull(meeting, force.data() + row * dim); });
    std::transform(force.begin(), force.end(), shape.force.begin(), [](double f) { return static_cast<float>(f); });
    cpu.sum(shape.n, [&](Offset i) { return shape.error[static_cast<std::size_t>(i)] / 2; }, shape.stress);
}

std::vector<float> steps(device::Cpu& cpu, const CpuItems& items, double relaxation) {
    const Index n = items.source->size();
    if (items.weights == nullptr && items.source->complete()) {
        return std::vector<float>(static_cast<std::size_t>(n), static_cast<float>(relaxation / n));
    }
    const std::vector<float> nowhere(static_cast<std::size_t>(n), 0.0F);
    std::vector<double> weight(nowhere.size(), 0.0);
    meet_all(cpu, *items.source, nowhere.data(), 1, items.weights, all_rows(n),
             [&](std::size_t row, const Meeting& meeting) { weight[row] += weight_of(meeting); });
    std::vector<float> all;
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool with_itself = items.source->between(i, i) >= 0;
        const double own = !with_itself ? 0.0 : items.weights == nullptr ? 1.0 : items.weights[Offset{i} * n + i];
        all.push_back(step_of(weight[at] - own, relaxation));
    }
    return all;
}

}  // namespace dunlin::mds
