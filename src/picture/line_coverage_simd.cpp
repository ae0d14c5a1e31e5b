// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/clones.hpp"
#include "device/lanes.hpp"
#include "picture/line_coverage.hpp"

namespace dunlin::picture {

DUNLIN_CLONES
void cover(const LineWalk& walk, float width, float weight, int lanes, float* sums, std::ptrdiff_t stride) {
    using Lanes = device::Lanes4;
    const float cosine = 1 / std::sqrt(1 + walk.slope * walk.slope);
    const float half = (width + 1) / 2, most = std::min(width, 1.0F);
    const float before = static_cast<float>(lanes) + 0.5F - half / cosine;
    const auto beyond = static_cast<float>(walk.pixels + lanes);
    const Lanes ramp = Lanes{0, 1, 2, 3} * cosine;
    for (int step = 0; step < walk.steps; ++step) {
        const float middle = walk.middle + walk.slope * static_cast<float>(step);
        // The first pixel with a center inside the line, clamped to the margin
        const int low = static_cast<int>(std::max(std::min(middle + before, beyond), 0.0F)) - lanes;
        float* pixels = sums + step * stride + low;
        for (int lane = 0; lane < lanes; lane += 4) {
            const Lanes away = (static_cast<float>(low + lane) + 0.5F - middle) * cosine + ramp;
            const Lanes inside = half - (away < 0 ? -away : away);
            const Lanes share = inside < 0 ? Lanes{} : inside > most ? most + Lanes{} : inside;
            Lanes sum;
            std::memcpy(&sum, pixels + lane, sizeof sum);
            sum += weight * share;
            std::memcpy(pixels + lane, &sum, sizeof sum);
        }
    }
}

}  // namespace dunlin::picture
