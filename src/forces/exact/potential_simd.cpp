// SPDX-License-Identifier: Apache-2.0
#include "forces/exact/potential.hpp"

#include <algorithm>

#include "device/clones.hpp"

namespace dunlin::forces {

namespace {

template <int D, class Law>
[[gnu::always_inline]] inline float potential_of_run(const Law law, const float* const* column, const float* point,
                                                     Index begin, Index end) {
    float sum = 0;
    for (Index l = begin; l < end; ++l) {
        float r2 = 0;
        for (int c = 0; c < D; ++c) r2 += (column[c][l] - point[c]) * (column[c][l] - point[c]);
        sum += potential_of(law, r2);
    }
    return sum;
}

template <int D, class Law>
[[gnu::always_inline]] inline double potential_in_runs(const Law& law, const float* const* column, const float* point,
                                                       Index count) {
    constexpr Index run = 512;
    const float *at[D], *const *from = column;
    for (int c = 0; c < D; ++c) at[c] = from[c];
    double sum = 0;
    for (Index begin = 0; begin < count; begin += run) {
        sum += static_cast<double>(potential_of_run<D>(law, at, point, begin, std::min(count, begin + run)));
    }
    return sum;
}

}  // namespace

#define DUNLIN_POTENTIAL(Law)                                                                                  \
    template <>                                                                                                \
    DUNLIN_CLONES double potential_at(const Law& law, const float* const* column, int dim, const float* point, \
                                      Index count) {                                                           \
        return dim == 2 ? potential_in_runs<2>(law, column, point, count)                                      \
                        : potential_in_runs<3>(law, column, point, count);                                     \
    }

DUNLIN_POTENTIAL(StudentT)
DUNLIN_POTENTIAL(GeneralStudentT)
DUNLIN_POTENTIAL(Fuzzy)
DUNLIN_POTENTIAL(FurtherPairs)

}  // namespace dunlin::forces
