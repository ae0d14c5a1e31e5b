// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/byte_codebooks.hpp"

#include <cmath>
#include <cstring>

#include "distance/tile.hpp"
#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index piece = ByteCodebooks::slack;

constexpr Index rounded_up(Index value, Index to) { return (value + to - 1) / to * to; }

std::uint8_t byte_of(float value, double step) {
    return static_cast<std::uint8_t>(std::clamp(std::nearbyint(static_cast<double>(value) / step), -127.0, 127.0) +
                                     128);
}

}  // namespace

ByteCodebooks::ByteCodebooks(const ProductQuantizer& quantizer)
    : parts_(quantizer.parts),
      entries_(quantizer.entries),
      dims_(quantizer.dims()),
      stride_(rounded_up(dims_, distance::dot_columns)),
      room_(rounded_up((dims_ + parts_ - 1) / parts_, piece)),
      step_(quantizer.spread > 1e-30F ? static_cast<double>(quantizer.spread) / 127 : 1.0),
      bytes_(at(parts_) * at(entries_) * at(room_)) {
    for (Index p = 0; p < parts_; ++p) {
        begins_.push_back(quantizer.begin(p));
        for (Index e = 0; e < entries_; ++e) {
            std::uint8_t* out = bytes_.data() + (Offset{p} * entries_ + e) * room_;
            const float* entry = quantizer.codebook(p) + Offset{e} * quantizer.width(p);
            for (Index c = 0; c < quantizer.width(p); ++c) out[c] = byte_of(entry[c], step_);
        }
    }
}

/// Entries are copied in whole pieces. What a piece writes beyond the entry's coordinates is overwritten by the next
/// part, or by the zeros at the end.
void ByteCodebooks::decode(const std::uint8_t* codes, Index rows, std::uint8_t* out) const {
    const Offset parts = parts_, room = room_,
                 book = Offset{entries_} * room_;  // copies: a byte written might alias a member
    const Index* begins = begins_.data();
    for (Index r = 0; r < rows; ++r, codes += parts, out += stride_) {
        const std::uint8_t* entries = bytes_.data();
        for (Offset p = 0; p < parts; ++p, entries += book) {
            const std::uint8_t* entry = entries + codes[p] * room;
            std::uint8_t* coordinates = out + begins[p];
            std::memcpy(coordinates, entry, at(piece));
            for (Offset c = piece; c < room; c += piece) std::memcpy(coordinates + c, entry + c, at(piece));
        }
        std::fill(out + dims_, out + stride_, std::uint8_t{0});
    }
}

}  // namespace dunlin::neighbors
