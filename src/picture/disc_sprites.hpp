// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace dunlin::picture {

/// Discs of one diameter at 8 x 8 places within a pixel: how much of each pixel they cover.
class DiscSprites {
public:
    static constexpr int whole = 64;  ///< a pixel that is covered entirely

    struct DiscSprite {
        const std::uint8_t* cover;  ///< size x size
        int left, top, size;
    };

    explicit DiscSprites(float diameter);

    [[nodiscard]] int size() const { return size_; }
    /// The disc whose center is nearest to (x, y), pixels.
    [[nodiscard]] DiscSprite at(float x, float y) const;

private:
    static constexpr int places = 8;
    int size_;
    std::vector<std::uint8_t> cover_;
};

}  // namespace dunlin::picture
