// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace dunlin::picture {

/// Coverage masks of a disc at 8 x 8 subpixel positions.
class DiscSprites {
public:
    static constexpr int whole = 64;  ///< coverage of a fully covered pixel

    struct DiscSprite {
        const std::uint8_t* cover;  ///< size x size
        int left, top, size;
    };

    explicit DiscSprites(float diameter);

    [[nodiscard]] int size() const { return size_; }
    /// The mask with the center nearest to (x, y), in pixels.
    [[nodiscard]] DiscSprite at(float x, float y) const;

private:
    static constexpr int places = 8;
    int size_;
    std::vector<std::uint8_t> cover_;
};

}  // namespace dunlin::picture
