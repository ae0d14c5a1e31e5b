// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "device/cpu.hpp"
#include "surface/words.hpp"

namespace dunlin::surface {

/// The largest Real that is not above the level: v > level if and only if v > floor_of<Real>(level).
template <class Real>
Real floor_of(double level);

/// Sets the inside bits of all nodes: values above the level. Throws Error{bad_input} for the first value that is not
/// finite.
template <class Real>
void find_inside(device::Cpu& cpu, const Shape& shape, std::span<const Real> values, double level,
                 std::span<std::uint32_t> inside);

/// Throws Error{bad_input} for the value of this node.
[[noreturn]] void refuse_value(const Shape& shape, Offset node, double value);

}  // namespace dunlin::surface
