// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "picture/lattice.hpp"

/// The binary frames of a page: a header of 64 bytes and a payload of at most 4 MB, both little-endian. A file holds
/// them deflated and in base64, a socket as they are. view/frames.js reads them; docs/lab/page-protocol.md has the
/// format.
namespace dunlin::picture {

enum class FrameKind : std::uint8_t {
    positions = 1,
    labels = 2,
    edges = 3,
    rows = 4,
    ids = 5,
    moved = 6,
    relief = 7,
    vertices = 8,
    triangles = 9,
    colors = 10
};

/// Items of a frame, except of ids, whose frames end at the size below.
constexpr Offset items_per_frame = 262144;
constexpr std::size_t max_payload = std::size_t{4} << 20;

struct FrameHeader {
    FrameKind kind = FrameKind::positions;
    bool last = false;       ///< of its kind
    bool deflated = false;   ///< the payload is a zlib stream
    std::uint8_t width = 0;  ///< positions: low bits of a coordinate; whole numbers: bytes of one
    std::uint32_t first = 0, count = 0;
    std::uint32_t map = 0, iteration = 0;  ///< of a map that moves
    double seconds = 0;
};

/// What a header says about the points.
struct FrameLattice {
    bool space = false;
    std::array<double, 3> origin{};
    double step = 1;
};
/// 64 bytes.
std::string header_of(const FrameHeader& header, const FrameLattice& lattice);

/// A frame of these points, or of a grid; its header also has their dimension, origin and step.
std::string frame_of(const FrameHeader& header, const LatticePoints& points, const std::string& payload);

/// Differences of ascending codes as varints, then the low bits of every axis in planes of one byte per point, the
/// lowest first. values: the coordinates, n x dim.
std::string positions_payload(const LatticePoints& points, std::span<const float> values, Offset first, Offset last);

/// Planes of one byte per item, the lowest first.
std::string planes_payload(std::span<const std::uint32_t> values, int bytes);

/// Ends of edges as places: varints of the differences of the ascending lower ends, each followed by the difference of
/// its upper end. An edge whose ends are equal is not in the list.
struct Ends {
    std::uint32_t low, high;
};
std::string edges_payload(std::span<const Ends> ends);

/// Bytes that an unsigned number up to `most` needs.
int bytes_of(std::uint64_t most);

std::string deflated(const std::string& payload);

}  // namespace dunlin::picture
