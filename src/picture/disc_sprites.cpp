// SPDX-License-Identifier: Apache-2.0
#include "picture/disc_sprites.hpp"

#include <cmath>

namespace dunlin::picture {

namespace {

/// Number of the 8 x 8 samples of pixel (column, row) within `radius` of the center.
std::uint8_t cover_of(int column, int row, float center_x, float center_y, float radius) {
    std::uint8_t inside = 0;
    for (int place = 0; place < DiscSprites::whole; ++place) {
        const float dx = static_cast<float>(column) + (static_cast<float>(place % 8) + 0.5F) / 8 - center_x;
        const float dy = static_cast<float>(row) + (static_cast<float>(place / 8) + 0.5F) / 8 - center_y;
        if (dx * dx + dy * dy <= radius * radius) ++inside;
    }
    return inside;
}

}  // namespace

DiscSprites::DiscSprites(float diameter) : size_(2 * static_cast<int>(std::ceil(diameter / 2)) + 1) {
    const float middle = static_cast<float>(size_ / 2);
    cover_.reserve(static_cast<std::size_t>(whole) * static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_));
    for (int place = 0; place < places * places; ++place) {
        const float x = middle + (static_cast<float>(place % places) + 0.5F) / places;
        const float y = middle + (static_cast<float>(place / places) + 0.5F) / places;
        for (int row = 0; row < size_; ++row) {
            for (int column = 0; column < size_; ++column) cover_.push_back(cover_of(column, row, x, y, diameter / 2));
        }
    }
}

DiscSprites::DiscSprite DiscSprites::at(float x, float y) const {
    const float column = std::floor(x), row = std::floor(y);
    const auto place = static_cast<int>((y - row) * places) * places + static_cast<int>((x - column) * places);
    return {cover_.data() + static_cast<std::ptrdiff_t>(place) * size_ * size_, static_cast<int>(column) - size_ / 2,
            static_cast<int>(row) - size_ / 2, size_};
}

}  // namespace dunlin::picture
