// SPDX-License-Identifier: Apache-2.0
#include "parametric/whole_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "forces/law.hpp"
#include "math/at.hpp"
#include "placement/loss.hpp"

namespace dunlin::parametric {

template <class Law>
WholeLoss<Law>::WholeLoss(const Graph& affinities, int dim, Law law) : affinities_(affinities), dim_(dim), law_(law) {
    for (const float weight : affinities.weights) {
        const auto p = static_cast<double>(weight);
        if (p > 0) entropy_ += p * std::log(p);
    }
}

template <class Law>
void WholeLoss<Law>::refresh(device::Cpu& cpu, std::vector<float> map) {
    field_.reset();
    reference_ = std::move(map);
    places_ = reference_;
    const Index n = affinities_.size();
    const MatrixView<const float> view{reference_.data(), n, dim_};
    field_ = std::make_unique<placement::MapField<Law>>(cpu, view, n <= placement::most_for_exact_field, 0.0F, law_);
}

template <class Law>
double WholeLoss<Law>::gradient(device::Cpu& cpu, const Index* rows, Index count, const float* y, float* gradient) {
    if (dim_ == 1) return gradient_in<1>(cpu, rows, count, y, gradient);
    if (dim_ == 2) return gradient_in<2>(cpu, rows, count, y, gradient);
    return gradient_in<3>(cpu, rows, count, y, gradient);
}

template <class Law>
template <int D>
double WholeLoss<Law>::gradient_in(device::Cpu& cpu, const Index* rows, Index count, const float* y, float* gradient) {
    const double n = affinities_.size(), push = n / field_->normalizer();
    const auto field = field_->template view<D>();
    device::Cell<double> attraction;
    cpu.sum(
        count,
        [&](Offset b) {
            const Index row = rows[b];
            const Offset first = affinities_.offsets[at(row)], last = affinities_.offsets[at(row) + 1];
            const placement::Edges edges{places_.data(), affinities_.targets.data() + first,
                                         affinities_.weights.data() + first, static_cast<Index>(last - first), n};
            double place[D];
            for (int d = 0; d < D; ++d) place[d] = static_cast<double>(y[b * D + d]);
            math::Expansion<D> sum;
            placement::add_attraction<D>(law_, edges, place, sum);
            const double value = sum.value / n;
            math::Expansion<D> potential = field.at(place);
            placement::add_potential<D>(law_, -1, reference_.data() + Offset{row} * D, place, potential);
            sum.add(push, potential);
            // d KL / d y is 2 / n times the gradient of the point's loss (placement/loss.hpp)
            for (int d = 0; d < D; ++d) gradient[b * D + d] = static_cast<float>(2.0 / count * sum.gradient[d]);
            return value;
        },
        attraction, 16);
    for (Index b = 0; b < count; ++b) std::copy_n(y + Offset{b} * D, D, places_.data() + Offset{rows[b]} * D);
    return attraction.value;
}

template <class Law>
double WholeLoss<Law>::kl(double attraction) const {
    return entropy_ + attraction + std::log(field_->normalizer());
}

template class WholeLoss<forces::StudentT>;
template class WholeLoss<forces::GeneralStudentT>;

}  // namespace dunlin::parametric
