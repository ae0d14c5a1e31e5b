// SPDX-License-Identifier: Apache-2.0
#include "forces/morton_order.hpp"

#include <algorithm>

#include "forces/box.hpp"
#include "math/morton.hpp"
#include "numerics/sort.hpp"

namespace dunlin::forces {

namespace {

template <int D>
std::vector<Index> order_in(device::Cpu& cpu, MatrixView<const float> y) {
    const BoundingBox bounds = box_of(cpu, y);
    const math::MortonBox<D> box(bounds.least.data(), bounds.most.data());
    std::vector<numerics::Keyed> keyed(static_cast<std::size_t>(y.rows));
    cpu.each(y.rows,
             [&](Offset i) { keyed[static_cast<std::size_t>(i)] = {box.code(y.data + i * D), static_cast<Index>(i)}; });
    numerics::RadixSort().sort(cpu, keyed, D * math::morton_bits<D>);
    std::vector<Index> order(keyed.size());
    std::transform(keyed.begin(), keyed.end(), order.begin(), [](const numerics::Keyed& k) { return k.item; });
    return order;
}

}  // namespace

std::vector<Index> morton_order(device::Cpu& cpu, MatrixView<const float> y) {
    return y.cols == 2 ? order_in<2>(cpu, y) : order_in<3>(cpu, y);
}

}  // namespace dunlin::forces
