// SPDX-License-Identifier: Apache-2.0
#include "parametric/whole_loss.hpp"

#include <cmath>
#include <utility>

#include "checkpoint/remembered.hpp"
#include "forces/law.hpp"
#include "math/at.hpp"
#include "parametric/arrays.hpp"

namespace dunlin::parametric {

template <class Law>
WholeLoss<device::Cpu, Law>::WholeLoss(device::Cpu& cpu, const Graph& affinities, int dim, Law law, float scale)
    : affinities_(affinities),
      dim_(dim),
      law_(law),
      scale_(scale),
      entropy_(sum_of(cpu, affinities.edges(), EntropyTerm{affinities.weights.data()})) {}

template <class Law>
void WholeLoss<device::Cpu, Law>::refresh(device::Cpu& cpu, std::vector<float> outputs) {
    reference_ = std::move(outputs);
    cpu.each(std::ssize(reference_), ScaleValues{scale_, reference_.data(), reference_.data()});
    places_ = reference_;
    make_field(cpu);
}

template <class Law>
void WholeLoss<device::Cpu, Law>::place(device::Cpu& cpu, const Index* rows, Index count, const float* outputs) {
    cpu.each(Offset{count} * dim_, PutRows{rows, outputs, dim_, scale_, places_.data()});
}

template <class Law>
void WholeLoss<device::Cpu, Law>::write(device::Cpu& cpu, checkpoint::ArchiveWriter& archive) {
    checkpoint::Remembered(cpu, reference_, places_).write(archive);
}

template <class Law>
void WholeLoss<device::Cpu, Law>::read(device::Cpu& cpu, checkpoint::ArchiveReader& archive, float* outputs) {
    reference_.resize(at(affinities_.size()) * at(dim_));
    places_.resize(reference_.size());
    checkpoint::Remembered(cpu, reference_, places_).read(archive);
    cpu.each(std::ssize(places_), ScaleValues{1 / scale_, places_.data(), outputs});
    make_field(cpu);
}

template <class Law>
void WholeLoss<device::Cpu, Law>::make_field(device::Cpu& cpu) {
    field_.reset();
    const Index n = affinities_.size();
    const MatrixView<const float> view{reference_.data(), n, dim_};
    field_ = std::make_unique<placement::MapField<Law>>(cpu, view, n <= placement::most_for_exact_field, 0.0F, law_);
}

template <class Law>
void WholeLoss<device::Cpu, Law>::gradient(device::Cpu& cpu, const Index* rows, Index count, const float* outputs,
                                           float* gradient, device::Cell<double>& part) {
    moved_.resize(at(count) * at(dim_));
    cpu.each(std::ssize(moved_), ScaleValues{scale_, outputs, moved_.data()});
    if (dim_ == 1) return gradient_in<1>(cpu, rows, count, gradient, part);
    if (dim_ == 2) return gradient_in<2>(cpu, rows, count, gradient, part);
    return gradient_in<3>(cpu, rows, count, gradient, part);
}

template <class Law>
template <int D>
void WholeLoss<device::Cpu, Law>::gradient_in(device::Cpu& cpu, const Index* rows, Index count, float* gradient,
                                              device::Cell<double>& part) {
    const double n = affinities_.size();
    const WholeTerms<D, Law> terms{law_, field_->template view<D>(), n, n / field_->normalizer(), reference_.data()};
    cpu.sum(
        count,
        [&](Offset b) {
            const Index row = rows[b];
            const Offset first = affinities_.offsets[at(row)], last = affinities_.offsets[at(row) + 1];
            const placement::Edges edges{places_.data(), affinities_.targets.data() + first,
                                         affinities_.weights.data() + first, static_cast<Index>(last - first), n};
            double place[D];
            for (int d = 0; d < D; ++d) place[d] = static_cast<double>(moved_[at(b * D + d)]);
            math::Expansion<D> sum;
            placement::add_attraction<D>(law_, edges, place, sum);
            const double value = sum.value / n;
            terms.add_repulsion(row, place, terms.field.at(place), sum);
            for (int d = 0; d < D; ++d) gradient[b * D + d] = terms.gradient_of_batch(sum.gradient[d], count, scale_);
            return value;
        },
        part, 16);
}

template <class Law>
double WholeLoss<device::Cpu, Law>::kl(double attraction) const {
    return entropy_ + attraction + std::log(field_->normalizer());
}

template class WholeLoss<device::Cpu, forces::StudentT>;
template class WholeLoss<device::Cpu, forces::GeneralStudentT>;

}  // namespace dunlin::parametric
