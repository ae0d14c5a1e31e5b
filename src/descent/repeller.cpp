// SPDX-License-Identifier: Apache-2.0
#include "descent/repeller.hpp"

#include "forces/box.hpp"
#include "forces/sampled/sampled.hpp"
#include "forces/width.hpp"

namespace dunlin::descent {

namespace {

/// Longest side of the bounding box; y has at least one point.
float span_of(device::Cpu& cpu, MatrixView<const float> y) {
    const forces::BoundingBox box = forces::box_of(cpu, y);
    const std::size_t axis = box.longest();
    return box.most[axis] - box.least[axis];
}

}  // namespace

template <class Law>
bool Repeller<Law>::choose(device::Cpu& cpu, MatrixView<const float> y) {
    const Repulsion before = engine_;
    engine_ = settings_.engine == Repulsion::adaptive && y.rows > 0
                  ? quickest(y.rows, span_of(cpu, y), y.cols, settings_.spacing)
                  : settings_.engine;
    return engine_ != before;
}

template <class Law>
void Repeller<Law>::repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force,
                          device::Cell<double>& mass) {
    if (y.cols > 3) return repel_wide(cpu, y, force);
    if (engine_ == Repulsion::tree) return tree_.repel(cpu, y, force, mass);
    if (engine_ == Repulsion::grid) return grid_.repel(cpu, y, force, mass);
    forces::repel_exact<Law>(cpu, y, force, mass, nullptr, nullptr, law_);
}

template <class Law>
void Repeller<Law>::repel_wide(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force) {
    if constexpr (forces::has_wide_maps<Law>) {
        if (engine_ == Repulsion::exact) return forces::repel_all(cpu, law_, y, force);
        const forces::Draws draws{forces::Draws::stream_of(settings_.seed, iteration_), y.rows, settings_.draws};
        forces::repel_drawn(cpu, law_, draws, y, force);
    }
}

template class Repeller<forces::StudentT>;
template class Repeller<forces::GeneralStudentT>;
template class Repeller<forces::Fuzzy>;
template class Repeller<forces::FurtherPairs>;

}  // namespace dunlin::descent
