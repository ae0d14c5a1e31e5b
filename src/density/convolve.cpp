// SPDX-License-Identifier: Apache-2.0
#include "density/convolve.hpp"

#include <algorithm>

#include "math/at.hpp"

namespace dunlin::density {

namespace {

Offset margin_of(const Placement& placement) { return placement.radius() + filter_block; }

}  // namespace

Convolution::Convolution(const Placement& placement)
    : placement_(placement), margin_(margin_of(placement)), size_(at(placement.size())) {
    for (auto& plane : planes_) plane.resize(size_ + 2 * at(margin_));
}

std::uint64_t Convolution::bytes(const Placement& placement) {
    return static_cast<std::uint64_t>(placement.size() + 2 * margin_of(placement)) * 2 * sizeof(float);
}

void Convolution::run(device::Cpu& cpu, std::span<float> to) {
    for (int axis = 0; axis < placement_.dim; ++axis) {
        const bool last = axis + 1 == placement_.dim;
        filter_axis(cpu, axis, planes_[axis % 2].data() + margin_,
                    last ? to.data() : planes_[(axis + 1) % 2].data() + margin_);
    }
}

/// The grid is [outer][node of the axis][inner]. Along x, sums of one row reach into the empty borders of the adjacent
/// rows. Rows without points along an axis not yet filtered are skipped: nothing reads them.
void Convolution::filter_axis(device::Cpu& cpu, int axis, const float* from, float* to) const {
    constexpr Offset segment = 64;  // nodes along the axis per task, so that the rows that it reads stay in cache
    const auto& nodes = placement_.nodes;
    const int radius = placement_.radius();
    const Offset along = axis == 0 ? 1 : nodes[at(axis)];
    const Offset inner = axis == 0 ? nodes[0] : axis == 1 ? nodes[0] : Offset{nodes[0]} * nodes[1];
    const Offset stride = axis == 0 ? 1 : inner, outer = placement_.size() / (along * inner);
    const Offset segments = (along + segment - 1) / segment, blocks = (inner + filter_block - 1) / filter_block;
    const auto is_empty = [&](Offset o) {
        bool empty = false;
        for (int a = axis + 1; a < placement_.dim; ++a) {
            const Offset node = o % nodes[at(a)];
            o /= nodes[at(a)];
            empty = empty || node < radius || node >= nodes[at(a)] - radius;
        }
        return empty;
    };
    cpu.blocks(outer * segments * blocks, axis == 0 ? blocks : 1, [&](Offset begin, Offset end, int) {
        for (Offset item = begin; item < end; ++item) {
            const Offset block = item % blocks, part = item / blocks % segments, plane = item / blocks / segments;
            if (is_empty(plane)) continue;
            const auto count = static_cast<int>(std::min<Offset>(filter_block, inner - block * filter_block));
            for (Offset p = part * segment; p < std::min((part + 1) * segment, along); ++p) {
                const Offset node = (plane * along + p) * inner + block * filter_block;
                int first = -radius, last = radius;
                if (axis > 0) {
                    first = static_cast<int>(std::max<Offset>(first, radius - p));
                    last = static_cast<int>(std::min<Offset>(last, along - radius - 1 - p));
                }
                filter_some(from + node, stride, first, last, placement_.taps.data(), count, to + node);
            }
        }
    });
}

}  // namespace dunlin::density
