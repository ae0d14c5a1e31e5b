// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "picture/shade.hpp"

namespace dunlin::picture {

constexpr int band_height = 64;  ///< rows of pixels per task, so that they stay in cache

/// Accumulated coverage of the pixels of some rows, in integers: sums do not depend on the order, and 10 million discs
/// at one pixel are exact.
class ScanlineBand {
public:
    static constexpr std::uint32_t full_weight = 16;  ///< weight of near objects; far ones of a 3-D map weigh less
    static constexpr std::uint32_t whole = 64;        ///< coverage of a fully covered pixel

    ScanlineBand(int width, int top, int bottom)
        : width_(width),
          top_(top),
          bottom_(bottom),
          sums_(static_cast<std::size_t>(width) * static_cast<std::size_t>(bottom - top)) {}

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int top() const { return top_; }
    [[nodiscard]] int bottom() const { return bottom_; }

    /// Adds to a pixel of the band. share: coverage times weight.
    void add(int x, int y, Color color, std::uint64_t share) {
        PixelSum& sum =
            sums_[static_cast<std::size_t>(y - top_) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
        sum.r += share * color.r;
        sum.g += share * color.g;
        sum.b += share * color.b;
        sum.weight += share;
    }

    void write(AccumulationBuffer& buffer) const {
        const std::size_t from = static_cast<std::size_t>(top_) * static_cast<std::size_t>(width_);
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            const PixelSum& sum = sums_[i];
            if (sum.weight == 0) continue;
            const auto mean = [&](std::uint64_t part) {
                return static_cast<std::uint8_t>((part + sum.weight / 2) / sum.weight);
            };
            buffer.color[from + i] = {mean(sum.r), mean(sum.g), mean(sum.b)};
            buffer.count[from + i] = static_cast<float>(static_cast<double>(sum.weight) / whole / full_weight);
        }
    }

private:
    struct PixelSum {
        std::uint64_t r = 0, g = 0, b = 0, weight = 0;
    };
    int width_, top_, bottom_;
    std::vector<PixelSum> sums_;
};

/// Weight of an object at this nearness (0 far, 1 near).
inline std::uint32_t weight_of(float nearness) {
    return ScanlineBand::full_weight / 2 + static_cast<std::uint32_t>(ScanlineBand::full_weight / 2 * nearness + 0.5F);
}

}  // namespace dunlin::picture
