// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <dunlin/page.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "picture/frames.hpp"

/// Maps that move: the places of the points of a page, again and again.
namespace dunlin::picture {

namespace {

constexpr std::uint16_t last_number = 65534, unplaced = 65535;
constexpr Offset prefetched = 64;  ///< points ahead of the one that is rounded; their rows are anywhere in memory

/// Number of axes on a page: 3 for a map in space, otherwise 2.
int axes_of(MatrixView<const float> map) { return map.cols == 3 ? 3 : 2; }

struct MapExtent {
    double low = std::numeric_limits<double>::infinity(), high = -low;

    void add(double x) {
        low = std::min(low, x);
        high = std::max(high, x);
    }
};
using MapExtents = std::array<MapExtent, 3>;

MapExtents extents_of(MatrixView<const float> map, int threads) {
    const auto axes = at(std::min(axes_of(map), map.cols));
    std::vector<MapExtents> parts(at((map.rows + items_per_frame - 1) / items_per_frame));
    device::Cpu cpu(threads);
    cpu.blocks(map.rows, items_per_frame, [&](Offset first, Offset end, int) {
        MapExtents& part = parts[at(first / items_per_frame)];
        for (Offset i = first; i < end; ++i) {
            for (std::size_t c = 0; c < axes; ++c) {
                const auto x = static_cast<double>(map.data[i * map.cols + static_cast<Offset>(c)]);
                if (std::isfinite(x)) part[c].add(x);
            }
        }
    });
    MapExtents extents;
    for (const MapExtents& part : parts) {
        for (std::size_t c = 0; c < axes; ++c) {
            if (part[c].low <= part[c].high) extents[c].add(part[c].low), extents[c].add(part[c].high);
        }
    }
    for (MapExtent& extent : extents) {
        if (extent.low > extent.high) extent = {0, 0};
    }
    return extents;
}

/// Box of the points of a frame that have a place. `low` is above `high` if none has.
struct NumberBox {
    std::array<std::uint16_t, 3> low{unplaced, unplaced, unplaced}, high{};
    bool has_gaps = false;  ///< some points have no place

    void add(const std::array<std::uint16_t, 3>& numbers) {
        for (std::size_t c = 0; c < numbers.size(); ++c) {
            low[c] = std::min(low[c], numbers[c]);
            high[c] = std::max(high[c], numbers[c]);
        }
    }
};

void put(char*& to, std::span<const std::uint16_t> numbers) {
    std::memcpy(to, numbers.data(), numbers.size_bytes());
    to += numbers.size_bytes();
}

}  // namespace

MovingBox box_around(MatrixView<const float> map, const MovingBox& last, int threads) {
    constexpr double margin = 0.1, least_share = 0.5;
    const MapExtents extents = extents_of(map, threads);
    const double side = last.step * last_number;
    double longest = 0;
    bool is_inside = last.step > 0;
    for (std::size_t c = 0; c < extents.size(); ++c) {
        longest = std::max(longest, extents[c].high - extents[c].low);
        is_inside = is_inside && extents[c].low >= last.origin[c] && extents[c].high <= last.origin[c] + side;
    }
    if (is_inside && longest >= least_share * side) return last;
    const double wide = longest > 0 ? (1 + 2 * margin) * longest : 1;
    MovingBox box{{}, wide / last_number};
    for (std::size_t c = 0; c < extents.size(); ++c) box.origin[c] = (extents[c].low + extents[c].high) / 2 - wide / 2;
    return box;
}

std::vector<std::string> moving_frames(MatrixView<const float> map, std::span<const Index> rows, const MovingBox& box,
                                       const MovingMap& which, int threads) {
    const int numbers = axes_of(map);
    const Offset n = std::ssize(rows);
    std::vector<std::string> frames(at((n + items_per_frame - 1) / items_per_frame));
    device::Cpu cpu(threads);
    cpu.blocks(n, items_per_frame, [&](Offset first, Offset end, int) {
        const FrameHeader header{.kind = FrameKind::moved,
                                 .last = end == n,
                                 .width = 2,
                                 .first = static_cast<std::uint32_t>(first),
                                 .count = static_cast<std::uint32_t>(end - first),
                                 .map = which.number,
                                 .iteration = which.iteration,
                                 .seconds = which.seconds};
        std::string frame = header_of(header, {numbers == 3, box.origin, box.step});
        const std::size_t begin = frame.size();
        frame.resize(begin + at((end - first + 2) * numbers + 1) * sizeof(std::uint16_t));
        char* to = frame.data() + begin;
        NumberBox inside;
        for (Offset p = first; p < end; ++p) {
            __builtin_prefetch(map.data + Offset{rows[at(std::min(p + prefetched, n - 1))]} * map.cols);
            const float* y = map.data + Offset{rows[at(p)]} * map.cols;
            std::array<std::uint16_t, 3> cell{};
            bool is_placed = true;
            for (int c = 0; c < numbers; ++c) {
                const double x = c < map.cols ? static_cast<double>(y[c]) : 0.0;
                is_placed = is_placed && std::isfinite(x);
                const double number = (x - box.origin[at(c)]) / box.step + 0.5;
                cell[at(c)] = number > 0 ? static_cast<std::uint16_t>(std::min(number, double{last_number})) : 0;
            }
            if (is_placed) {
                inside.add(cell);
            } else {
                cell.fill(unplaced);
                inside.has_gaps = true;
            }
            put(to, std::span(cell).first(at(numbers)));
        }
        const std::array<std::uint16_t, 1> gaps{inside.has_gaps};
        put(to, std::span(inside.low).first(at(numbers)));
        put(to, std::span(inside.high).first(at(numbers)));
        put(to, gaps);
        frames[at(first / items_per_frame)] = std::move(frame);
    });
    return frames;
}

}  // namespace dunlin::picture
