// SPDX-License-Identifier: Apache-2.0
#include "tsne/repeller.hpp"

#include "forces/box.hpp"

#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

/// Longest side of the bounding box; y has at least one point.
float span_of(device::Cpu& cpu, MatrixView<const float> y) {
    const forces::BoundingBox box = forces::box_of(cpu, y);
    const std::size_t axis = box.longest();
    return box.most[axis] - box.least[axis];
}

}  // namespace

Repulsion quickest(Index n, float span, int dim) {
    const auto points = static_cast<double>(n);
    const double wide = span;
    if (n <= most_for_exact(dim)) return Repulsion::exact;
    if (dim == 2) return points >= wide * wide / 3 ? Repulsion::grid : Repulsion::tree;
    return points >= 2000 + 0.4 * wide * wide * wide ? Repulsion::grid : Repulsion::tree;
}

Repeller::Repeller(const Options& options)
    : wanted_(options.repulsion), tree_(options.theta.value_or(0)), grid_(options.spacing.value_or(0)) {}

bool Repeller::choose(device::Cpu& cpu, MatrixView<const float> y) {
    const Repulsion before = engine_;
    engine_ = wanted_ == Repulsion::adaptive && y.rows > 0 ? quickest(y.rows, span_of(cpu, y), y.cols) : wanted_;
    return engine_ != before;
}

void Repeller::repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass) {
    if (engine_ == Repulsion::tree) return tree_.repel(cpu, y, force, mass);
    if (engine_ == Repulsion::grid) return grid_.repel(cpu, y, force, mass);
    forces::repel_exact<forces::StudentT>(cpu, y, force, mass);
}

}  // namespace dunlin::tsne
