// SPDX-License-Identifier: Apache-2.0
#include "kmedoids/savings.hpp"

#include "device/clones.hpp"

namespace dunlin::kmedoids {

DUNLIN_CLONES double find_savings(const float* d, const float* first, const float* second, Offset count,
                                  double* saved) {
    double gained = 0;
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i) {
        const float capped = d[i] > first[i] ? d[i] : first[i];
        const float between = capped < second[i] ? capped : second[i], lower = d[i] < first[i] ? d[i] : first[i];
        saved[i] = static_cast<double>(between) - static_cast<double>(second[i]);
        gained += static_cast<double>(lower) - static_cast<double>(first[i]);
    }
    return gained;
}

}  // namespace dunlin::kmedoids
