// SPDX-License-Identifier: Apache-2.0
#include "parametric/batch_loss.hpp"

#include <vector>

#include "forces/law.hpp"
#include "math/at.hpp"
#include "parametric/pairs.hpp"

namespace dunlin::parametric {

namespace {

/// Terms of the attractive half, summed over rows.
struct Attraction {
    double cost = 0, total = 0;
    Attraction& operator+=(const Attraction& other) {
        cost += other.cost;
        total += other.total;
        return *this;
    }
};

}  // namespace

template <class Law>
void batch_kl(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
              MatrixView<float> gradient, device::Cell<double>& kl) {
    const Index dim = y.cols;
    device::Cell<double> mass;
    repel_all(cpu, law, y, gradient, mass);
    const double normalizer = descent::normalizer(mass.value);
    device::Cell<Attraction> sums;
    cpu.sum(
        y.rows,
        [&](Offset i) {
            Attraction row;
            std::vector<double> attraction(at(dim));
            const float* const place = y.data + i * dim;
            for (Offset e = affinities.offsets[at(i)]; e < affinities.offsets[at(i + 1)]; ++e) {
                const float* const other = y.data + Offset{affinities.targets[at(e)]} * dim;
                const auto p = static_cast<double>(affinities.weights[at(e)]);
                double r2 = 0;
                for (Index d = 0; d < dim; ++d) {
                    const double difference = static_cast<double>(place[d]) - static_cast<double>(other[d]);
                    r2 += difference * difference;
                }
                const double factor = law.attraction(p, r2);
                for (Index d = 0; d < dim; ++d)
                    attraction[at(d)] += factor * (static_cast<double>(place[d]) - static_cast<double>(other[d]));
                row.cost += law.cost(p, r2);
                row.total += p;
            }
            float* const out = gradient.data + i * dim;
            for (Index d = 0; d < dim; ++d)
                out[d] = batch_gradient(attraction[at(d)], static_cast<double>(out[d]), normalizer);
            return row;
        },
        sums, 32);
    kl.value = batch_kl_of(sums.value.cost, sums.value.total, normalizer);
}

template void batch_kl(device::Cpu&, const forces::StudentT&, const Graph&, MatrixView<const float>, MatrixView<float>,
                       device::Cell<double>&);
template void batch_kl(device::Cpu&, const forces::GeneralStudentT&, const Graph&, MatrixView<const float>,
                       MatrixView<float>, device::Cell<double>&);

}  // namespace dunlin::parametric
