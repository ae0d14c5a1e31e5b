#include "tsne/repeller.hpp"

#include <algorithm>

namespace dunlin::tsne {

namespace {

/// Longest side of the bounding box.
float span_of(MatrixView<const float> y) {
    float span = 0;
    for (Index c = 0; c < y.cols; ++c) {
        float low = y(0, c), high = y(0, c);
        for (Index i = 1; i < y.rows; ++i) {
            low = std::min(low, y(i, c));
            high = std::max(high, y(i, c));
        }
        span = std::max(span, high - low);
    }
    return span;
}

}  // namespace

Repulsion quickest(Index n, float span, int dim) {
    const auto points = static_cast<double>(n);
    const double wide = span;
    if (dim == 2) {
        if (n <= 1000) return Repulsion::exact;
        return points >= wide * wide / 3 ? Repulsion::grid : Repulsion::tree;
    }
    if (n <= 1500) return Repulsion::exact;
    return points >= 2000 + 0.4 * wide * wide * wide ? Repulsion::grid : Repulsion::tree;
}

Repeller::Repeller(const Options& options)
    : wanted_(options.repulsion), tree_(options.theta.value_or(0.5F)), grid_(options.spacing.value_or(0)) {}

bool Repeller::choose(device::Cpu&, MatrixView<const float> y) {
    const Repulsion before = engine_;
    engine_ = wanted_ == Repulsion::automatic && y.rows > 0 ? quickest(y.rows, span_of(y), y.cols) : wanted_;
    return engine_ != before;
}

void Repeller::repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass) {
    if (engine_ == Repulsion::tree) return tree_.repel(cpu, y, force, mass);
    if (engine_ == Repulsion::grid) return grid_.repel(cpu, y, force, mass);
    forces::repel_exact<forces::StudentT>(cpu, y, force, mass);
}

}  // namespace dunlin::tsne
