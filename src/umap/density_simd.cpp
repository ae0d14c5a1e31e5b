// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "umap/density_kernels.hpp"

namespace dunlin::umap {

DUNLIN_CLONES void radius_terms(const forces::Fuzzy& law, float* phi, float* moment, Offset size) {
    const forces::Fuzzy same = law;  // a copy: stores cannot change it
    DUNLIN_NO_OVERLAP
    for (Offset e = 0; e < size; ++e) {
        const float r = phi[e];
        phi[e] = 1 / (1 + same.spread(forces::Fuzzy::origin + r));
        moment[e] = phi[e] * r;
    }
}

DUNLIN_CLONES void density_slopes(const forces::Fuzzy& law, const DensityShare* shares, float* slopes, Offset size) {
    const forces::Fuzzy same = law;
    DUNLIN_NO_OVERLAP
    for (Offset e = 0; e < size; ++e) slopes[e] = density_slope(same, slopes[e], shares[e]);
}

}  // namespace dunlin::umap
