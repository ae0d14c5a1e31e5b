// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/clones.hpp"
#include "forces/width.hpp"
#include "placement/sample.hpp"

namespace dunlin::placement {

namespace {

constexpr Index run = 64;

template <class Law, int W>
[[gnu::always_inline]] inline void add_run(const Law law, const float* rows, Index count, const float* place,
                                           SampleSums<W>& sums) {
    float r2[run], strength[run], slope[run];
    for (Index s = 0; s < count; ++s) {
        float square = 0;
        for (int c = 0; c < W; ++c) square += (place[c] - rows[s * W + c]) * (place[c] - rows[s * W + c]);
        r2[s] = square;
    }
    float potential = 0, strengths = 0;
    for (Index s = 0; s < count; ++s) {
        const auto series = law.series_at(law.origin + r2[s]);
        strength[s] = series.strength;
        slope[s] = series.first;
        strengths += series.strength;
        potential += potential_of(law, r2[s]);
    }
    float force[W] = {}, turn[W * W] = {};
    for (Index s = 0; s < count; ++s) {
        float delta[W];
        for (int c = 0; c < W; ++c) delta[c] = place[c] - rows[s * W + c];
        for (int c = 0; c < W; ++c) force[c] += strength[s] * delta[c];
        for (int d = 0; d < W; ++d) {
            const float turned = slope[s] * delta[d];
            for (int c = 0; c < W; ++c) turn[d * W + c] += turned * delta[c];
        }
    }
    sums.potential += static_cast<double>(potential);
    sums.strength += static_cast<double>(strengths);
    for (int c = 0; c < W; ++c) sums.force[c] += static_cast<double>(force[c]);
    for (int c = 0; c < W * W; ++c) sums.turn[c] += static_cast<double>(turn[c]);
}

}  // namespace

#define DUNLIN_SAMPLE(Law, W)                                                                               \
    template <>                                                                                             \
    DUNLIN_CLONES void add_rows<Law, W>(const Law& law, const float* rows, Index count, const float* place, \
                                        SampleSums<W>& sums) {                                              \
        for (Index begin = 0; begin < count; begin += run)                                                  \
            add_run<Law, W>(law, rows + Offset{begin} * W, std::min(run, count - begin), place, sums);      \
    }
#define DUNLIN_SAMPLE_FUZZY(W) DUNLIN_SAMPLE(forces::Fuzzy, W)
#define DUNLIN_SAMPLE_FURTHER(W) DUNLIN_SAMPLE(forces::FurtherPairs, W)
DUNLIN_WIDTHS(DUNLIN_SAMPLE_FUZZY)
DUNLIN_WIDTHS(DUNLIN_SAMPLE_FURTHER)

}  // namespace dunlin::placement
