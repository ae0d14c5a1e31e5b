// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "density/placement.hpp"
#include "device/aligned.hpp"
#include "device/cpu.hpp"

namespace dunlin::density {

/// Sums of a filter at `count` consecutive places, at most filter_block: to[k] = sum over j in [first, last] of
/// taps[|j|] from[k + j stride]. Reads filter_block values for each j.
constexpr int filter_block = 64;
void filter_some(const float* from, Offset stride, int first, int last, const float* taps, int count, float* to);

/// Convolution with the Gaussian along one axis after the other. All terms are positive: small values have as many
/// digits as large ones, and there is no noise where there are no points, as there would be with a Fourier transform.
class Convolution {
public:
    explicit Convolution(const Placement& placement);

    /// The grid that is convolved, to be filled in. Nodes within the taps' radius of the border must be 0.
    [[nodiscard]] std::span<float> input() { return {planes_[0].data() + margin_, size_}; }
    /// to = input * the kernel. Overwrites the input.
    void run(device::Cpu& cpu, std::span<float> to);

    [[nodiscard]] static std::uint64_t bytes(const Placement& placement);

private:
    void filter_axis(device::Cpu& cpu, int axis, const float* from, float* to) const;

    const Placement& placement_;
    Offset margin_;  ///< zeros before and after a plane, so that the filter along x needs no bounds
    std::size_t size_;
    std::vector<float> planes_[2];
};

}  // namespace dunlin::density
