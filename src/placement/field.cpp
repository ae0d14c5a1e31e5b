// SPDX-License-Identifier: Apache-2.0
#include "placement/field.hpp"

#include "forces/grid/grid.hpp"

namespace dunlin::placement {

template <class Law>
struct MapField<Law>::State {
    MatrixView<const float> map;
    Law law;
    forces::Grid<Law> grid;
    forces::GridSpline spline;
    std::span<const float> grid_values;
    float center[3]{};

    State(MatrixView<const float> points, float spacing, Law of) : map(points), law(of), grid(spacing, of) {}

    template <int D>
    Field<D, Law> view() const {
        Field<D, Law> field{law, map.data, map.rows, spline, {}};
        for (int d = 0; d < D; ++d) field.center[d] = center[d];
        return field;
    }
};

namespace {

/// Sum over all rows of the potential of the others, which a field at a row contains with the row itself.
template <int D, class Law>
double normalizer_of(device::Cpu& cpu, const Field<D, Law>& field) {
    device::Cell<double> sum;
    const double self = potential_of(field.law, 0.0);
    cpu.sum(
        field.points,
        [&](Offset i) {
            double y[D];
            for (int d = 0; d < D; ++d) y[d] = static_cast<double>(field.map[i * D + d]);
            return field.at(y).value - self;
        },
        sum, 64);
    return sum.value;
}

}  // namespace

template <class Law>
MapField<Law>::MapField(device::Cpu& cpu, MatrixView<const float> map, bool exact, float spacing, Law law)
    : state_(std::make_unique<State>(map, spacing, law)) {
    for (Index d = 0; d < map.cols; ++d) {
        device::Cell<double> sum;
        cpu.sum(map.rows, [&](Offset i) { return static_cast<double>(map(static_cast<Index>(i), d)); }, sum);
        state_->center[d] = static_cast<float>(sum.value / map.rows);
    }
    if (!exact && map.cols > 1) {
        device::Cell<double> normalizer;
        state_->spline = state_->grid.potential(cpu, map, normalizer);
        normalizer_ = normalizer.value;
        const auto nodes = state_->grid.nodes();
        const Offset used = state_->spline.plane * (map.cols == 3 ? nodes[2] : 1);
        state_->grid_values = {state_->spline.values, static_cast<std::size_t>(used) + 16};
    } else if (!forces::has_normalizer<Law>) {
        return;
    } else if (map.cols == 1) {
        normalizer_ = normalizer_of(cpu, view<1>());
    } else {
        normalizer_ = map.cols == 2 ? normalizer_of(cpu, view<2>()) : normalizer_of(cpu, view<3>());
    }
}

template <class Law>
MapField<Law>::~MapField() = default;
template <class Law>
MapField<Law>::MapField(MapField&&) noexcept = default;
template <class Law>
MapField<Law>& MapField<Law>::operator=(MapField&&) noexcept = default;

template <class Law>
template <int D>
Field<D, Law> MapField<Law>::view() const {
    return state_->template view<D>();
}

template <class Law>
std::span<const float> MapField<Law>::grid_values() const {
    return state_->grid_values;
}

#define DUNLIN_FIELD(Law)                                                  \
    template class MapField<forces::Law>;                                  \
    template Field<1, forces::Law> MapField<forces::Law>::view<1>() const; \
    template Field<2, forces::Law> MapField<forces::Law>::view<2>() const; \
    template Field<3, forces::Law> MapField<forces::Law>::view<3>() const;

DUNLIN_FIELD(StudentT)
DUNLIN_FIELD(GeneralStudentT)
DUNLIN_FIELD(Fuzzy)
DUNLIN_FIELD(FurtherPairs)

}  // namespace dunlin::placement
