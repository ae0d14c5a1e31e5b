// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "layout/overlap.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::layout {

namespace {

using CellIndex = std::array<std::int32_t, 3>;

/// Hash of a cell. Cells with equal hashes are not distinguished; the distance test removes false pairs.
std::uint64_t key_of(const CellIndex& cell) {
    std::uint64_t key = 0;
    for (const std::int32_t c : cell) key = (key ^ static_cast<std::uint32_t>(c)) * math::golden;
    return key >> 32;
}

/// Grid of discs of similar radius; cells are so wide that touching discs are in adjacent cells.
class RadiusGrid {
public:
    RadiusGrid(const Map& map, std::vector<Index> discs, double widest, double gap)
        : dim_(map.dim), side_(2 * widest + gap), discs_(std::move(discs)) {
        const auto slots = std::bit_ceil(std::max<std::size_t>(discs_.size(), 1));
        mask_ = slots - 1;
        first_.assign(slots + 1, 0);
        for (const Index d : discs_) ++first_[slot(cell_of(map, d)) + 1];
        for (std::size_t s = 0; s < slots; ++s) first_[s + 1] += first_[s];
        std::vector<Index> sorted(discs_.size());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (const Index d : discs_) sorted[next[slot(cell_of(map, d))]++] = d;
        discs_.swap(sorted);
    }

    /// Calls visit(disc) for discs in the cells around a point, until it returns false.
    template <class Visit>
    void around(const Map& map, Index point, const Visit& visit) const {
        const CellIndex middle = cell_of(map, point);
        std::array<std::size_t, 27> slots{};
        std::size_t count = 0;
        for (int neighbor = 0; neighbor < (dim_ == 3 ? 27 : 9); ++neighbor) {
            CellIndex cell = middle;
            cell[0] += neighbor % 3 - 1;
            cell[1] += neighbor / 3 % 3 - 1;
            cell[2] += dim_ == 3 ? neighbor / 9 - 1 : 0;
            slots[count++] = slot(cell);
        }
        std::sort(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(count));
        const auto last = std::unique(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(count));
        for (auto s = slots.begin(); s != last; ++s) {
            for (std::size_t i = first_[*s]; i < first_[*s + 1]; ++i) {
                if (!visit(discs_[i])) return;
            }
        }
    }

private:
    [[nodiscard]] CellIndex cell_of(const Map& map, Index d) const {
        CellIndex cell{};
        for (int c = 0; c < dim_; ++c) {
            const double place = std::floor(static_cast<double>(map.view()(d, c)) / side_);
            cell[at(c)] = static_cast<std::int32_t>(std::clamp(place, -2e9, 2e9));
        }
        return cell;
    }
    [[nodiscard]] std::size_t slot(const CellIndex& cell) const { return key_of(cell) & mask_; }

    int dim_;
    double side_;
    std::size_t mask_ = 0;
    std::vector<Index> discs_;
    std::vector<std::size_t> first_;
};

/// Discs by radius: grid 0 has radii down to half the largest, grid 1 down to a quarter, and so on; the last grid has
/// all smaller ones. Points with neither radius nor gap are in no grid: they can overlap discs, but not each other.
class RadiusGrids {
public:
    RadiusGrids(const Map& map, std::span<const float> radii, float gap, float widest)
        : map_(map), radii_(radii), gap_(gap), top_(widest + gap / 2) {
        std::array<std::vector<Index>, most + 1> members;
        for (Index d = 0; d < map.size(); ++d) members[at(level_of(d))].push_back(d);
        for (int level = 0; level < most; ++level) {
            float largest = 0;
            for (const Index d : members[at(level)]) largest = std::max(largest, radii[at(d)]);
            grids_.emplace_back(map, std::move(members[at(level)]), static_cast<double>(largest),
                                static_cast<double>(gap));
        }
    }

    /// Adds the overlaps of a disc with larger discs and with earlier discs of its own grid, at most max_per_disc.
    void find_overlaps(Index d, int max_per_disc, std::vector<OverlappingPair>& found) const {
        const int own = level_of(d);
        int left = max_per_disc;
        for (int level = 0; level <= std::min(own, most - 1) && left > 0; ++level) {
            grids_[at(level)].around(map_, d, [&](Index other) {
                if (other == d || (level == own && other > d) || !overlap(d, other)) return true;
                found.push_back({std::max(d, other), std::min(d, other)});
                return --left > 0;
            });
        }
    }

private:
    static constexpr int most = 16;

    [[nodiscard]] int level_of(Index d) const {
        const float radius = radii_[at(d)] + gap_ / 2;
        return radius > 0 ? std::min(static_cast<int>(std::log2(top_ / radius)), most - 1) : most;
    }
    [[nodiscard]] bool overlap(Index a, Index b) const {
        const double reach =
            static_cast<double>(radii_[at(a)]) + static_cast<double>(radii_[at(b)]) + static_cast<double>(gap_);
        double square = 0;
        for (int c = 0; c < map_.dim; ++c) {
            const double apart = static_cast<double>(map_.view()(a, c)) - static_cast<double>(map_.view()(b, c));
            square += apart * apart;
        }
        return square < reach * reach;
    }

    const Map& map_;
    std::span<const float> radii_;
    float gap_, top_;
    std::vector<RadiusGrid> grids_;
};

}  // namespace

std::vector<OverlappingPair> overlapping_pairs(device::Cpu& cpu, const Map& map, std::span<const float> radii,
                                               float gap, int max_per_disc) {
    const Index n = map.size();
    const float widest = n > 0 ? *std::max_element(radii.begin(), radii.end()) : 0;
    if (widest <= 0 && gap <= 0) return {};
    const RadiusGrids grids(map, radii, gap, widest);
    constexpr Offset grain = 4096;
    std::vector<std::vector<OverlappingPair>> parts(at((n + grain - 1) / grain));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        for (Offset d = begin; d < end; ++d)
            grids.find_overlaps(static_cast<Index>(d), max_per_disc, parts[at(begin / grain)]);
    });
    std::vector<OverlappingPair> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end(),
              [](OverlappingPair x, OverlappingPair y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    return all;
}

}  // namespace dunlin::layout
