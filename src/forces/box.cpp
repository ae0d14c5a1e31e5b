// SPDX-License-Identifier: Apache-2.0
#include "forces/box.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace dunlin::forces {

namespace {

void include(BoundingBox& box, const BoundingBox& other) {
    for (std::size_t d = 0; d < 3; ++d) {
        box.least[d] = std::min(box.least[d], other.least[d]);
        box.most[d] = std::max(box.most[d], other.most[d]);
    }
}

template <int D>
void include_rows(const float* y, Offset rows, BoundingBox& box) {
    // Several rows at a time, so that their values fill vector registers
    constexpr Offset lanes = Offset{8} * D;
    float least[lanes], most[lanes];
    for (std::size_t k = 0; k < lanes; ++k) least[k] = box.least[k % D], most[k] = box.most[k % D];
    const Offset values = rows * D;
    Offset i = 0;
    for (; i + lanes <= values; i += lanes) {
        for (Offset k = 0; k < lanes; ++k) {
            least[k] = std::min(least[k], y[i + k]);
            most[k] = std::max(most[k], y[i + k]);
        }
    }
    for (Offset k = 0; i + k < values; ++k) {
        least[k] = std::min(least[k], y[i + k]);
        most[k] = std::max(most[k], y[i + k]);
    }
    for (std::size_t k = 0; k < lanes; ++k) {
        box.least[k % D] = std::min(box.least[k % D], least[k]);
        box.most[k % D] = std::max(box.most[k % D], most[k]);
    }
}

}  // namespace

BoundingBox box_of(device::Cpu& cpu, MatrixView<const float> y) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr Offset grain = 8192;
    const BoundingBox nothing{{inf, inf, inf}, {-inf, -inf, -inf}};
    std::vector<BoundingBox> parts(static_cast<std::size_t>((y.rows + grain - 1) / grain), nothing);
    cpu.blocks(y.rows, grain, [&](Offset begin, Offset end, int) {
        BoundingBox box = nothing;
        const auto include_all = y.cols == 2 ? include_rows<2> : include_rows<3>;
        include_all(y.data + begin * y.cols, end - begin, box);
        parts[static_cast<std::size_t>(begin / grain)] = box;
    });
    BoundingBox all = nothing;
    for (const BoundingBox& part : parts) include(all, part);
    return all;
}

}  // namespace dunlin::forces
