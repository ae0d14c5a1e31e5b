// SPDX-License-Identifier: Apache-2.0
#include "parametric/pairs.hpp"

#include <algorithm>
#include <vector>

#include "device/clones.hpp"
#include "forces/law.hpp"
#include "math/at.hpp"

namespace dunlin::parametric {

namespace {

constexpr Index run = 512;

/// Adds what the points [begin, begin + count) do to the point at `place`; columns: [axis][n].
template <class Law>
[[gnu::always_inline]] inline double repel_run(const Law law, const float* columns, Index n, int dim,
                                               const float* place, Index begin, Index count, double* force) {
    float r2[run], strength[run];
    for (Index j = 0; j < count; ++j) r2[j] = law.origin;
    for (int d = 0; d < dim; ++d) {
        const float* const column = columns + Offset{d} * n + begin;
        const float at = place[d];
        for (Index j = 0; j < count; ++j) r2[j] += (at - column[j]) * (at - column[j]);
    }
    float mass = 0;
    for (Index j = 0; j < count; ++j) {
        mass += law.mass_at(r2[j]);
        strength[j] = law.strength_at(r2[j]);
    }
    for (int d = 0; d < dim; ++d) {
        const float* const column = columns + Offset{d} * n + begin;
        const float at = place[d];
        float sum = 0;
        for (Index j = 0; j < count; ++j) sum += strength[j] * (at - column[j]);
        force[d] += static_cast<double>(sum);
    }
    return static_cast<double>(mass);
}

template <class Law>
double repel_one(const Law& law, const float* columns, Index n, int dim, const float* place, double* force);

#define DUNLIN_REPEL_ONE(Law)                                                                                  \
    template <>                                                                                                \
    DUNLIN_CLONES double repel_one(const Law& law, const float* columns, Index n, int dim, const float* place, \
                                   double* force) {                                                            \
        double mass = 0;                                                                                       \
        for (Index begin = 0; begin < n; begin += run)                                                         \
            mass += repel_run(law, columns, n, dim, place, begin, std::min(run, n - begin), force);            \
        return mass;                                                                                           \
    }

DUNLIN_REPEL_ONE(forces::StudentT)
DUNLIN_REPEL_ONE(forces::GeneralStudentT)

}  // namespace

template <class Law>
void repel_all(device::Cpu& cpu, const Law& law, MatrixView<const float> y, MatrixView<float> force,
               device::Cell<double>& mass) {
    const Index n = y.rows, dim = y.cols;
    std::vector<float> columns(at(y.size()));
    cpu.each(n, [&](Offset i) {
        for (Index d = 0; d < dim; ++d) columns[at(Offset{d} * n + i)] = y.data[i * dim + d];
    });
    const double self = static_cast<double>(law.mass(0.0F));
    cpu.sum(
        n,
        [&](Offset i) {
            std::vector<double> sums(at(dim));
            const double all = repel_one(law, columns.data(), n, dim, y.data + i * dim, sums.data());
            for (Index d = 0; d < dim; ++d) force.data[i * dim + d] = static_cast<float>(sums[at(d)]);
            return all - self;
        },
        mass, 32);
}

template void repel_all(device::Cpu&, const forces::StudentT&, MatrixView<const float>, MatrixView<float>,
                        device::Cell<double>&);
template void repel_all(device::Cpu&, const forces::GeneralStudentT&, MatrixView<const float>, MatrixView<float>,
                        device::Cell<double>&);

}  // namespace dunlin::parametric
