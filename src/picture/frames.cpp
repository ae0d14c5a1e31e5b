// SPDX-License-Identifier: Apache-2.0
#include "picture/frames.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "math/at.hpp"

namespace dunlin::picture {

namespace {

static_assert(std::endian::native == std::endian::little);

template <class T>
void put(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
}

void put_varint(std::string& bytes, std::uint32_t value) {
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
    bytes += static_cast<char>(value);
}

}  // namespace

std::string header_of(const FrameHeader& header, const FrameLattice& lattice) {
    std::string frame = "DUNL";
    put(frame, std::uint8_t{1});  // version
    put(frame, header.kind);
    put(frame, static_cast<std::uint8_t>((header.last ? 1 : 0) | (lattice.space ? 2 : 0) | (header.deflated ? 4 : 0)));
    put(frame, header.width);
    put(frame, header.map);
    put(frame, header.iteration);
    put(frame, header.first);
    put(frame, header.count);
    put(frame, header.seconds);
    for (const double origin : lattice.origin) put(frame, origin);
    put(frame, lattice.step);
    return frame;
}

std::string frame_of(const FrameHeader& header, const LatticePoints& points, const std::string& payload) {
    return header_of(header, {points.dim == 3, points.origin, points.step}) + payload;
}

std::string positions_payload(const LatticePoints& points, std::span<const float> values, Offset first, Offset last) {
    std::string bytes;
    std::uint32_t before = 0;
    for (Offset p = first; p < last; ++p) {
        put_varint(bytes, points.codes[at(p)] - before);
        before = points.codes[at(p)];
    }
    const std::uint32_t mask = (1U << points.low_bits) - 1;
    for (int axis = 0; axis < points.dim; ++axis) {
        for (int shift = 0; shift < points.low_bits; shift += 8) {
            for (Offset p = first; p < last; ++p) {
                const Offset row = points.rows[at(p)];
                const std::uint32_t low = points.cell(values[at(row * points.dim + axis)], axis) & mask;
                bytes += static_cast<char>(low >> shift);
            }
        }
    }
    return bytes;
}

std::string planes_payload(std::span<const std::uint32_t> values, int bytes) {
    std::string payload;
    payload.reserve(values.size() * at(bytes));
    for (int plane = 0; plane < bytes; ++plane) {
        for (const std::uint32_t value : values) payload += static_cast<char>(value >> (8 * plane));
    }
    return payload;
}

std::string edges_payload(std::span<const Ends> ends) {
    std::string bytes;
    std::uint32_t before = 0;
    for (const Ends& edge : ends) {
        put_varint(bytes, edge.low - before);
        put_varint(bytes, edge.high - edge.low);
        before = edge.low;
    }
    return bytes;
}

int bytes_of(std::uint64_t most) { return std::max(1, (static_cast<int>(std::bit_width(most)) + 7) / 8); }

std::string deflated(const std::string& payload) {
    uLongf size = compressBound(payload.size());
    std::string bytes(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(payload.data()),
                  payload.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
        throw std::bad_alloc();
    bytes.resize(size);
    return bytes;
}

}  // namespace dunlin::picture
