// SPDX-License-Identifier: Apache-2.0
#include "neighbors/distinct_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "math/rng.hpp"

namespace dunlin::neighbors {

namespace {

/// Bits by which values are compared.
std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(std::round(value * 0x1p40) + 0.0); }

class RowHasher {
public:
    explicit RowHasher(const distance::Space& space) : space_(space) {}

    /// Calls take(bits) for each column; for a sparse row, take(column) and take(bits) for each that is not a zero.
    template <class Take>
    void each_value(Index r, const Take& take) const {
        if (space_.sparse()) return each_other(r, take);
        const bool plain = !space_.unit_rows();
        const double mean = space_.mean(r), scale = space_.scale(r);
        for (const float value : space_.row(r)) {
            take(plain ? bits(value) : bits((static_cast<double>(value) - mean) * scale));
        }
    }

    [[nodiscard]] std::uint64_t hash(Index r) const {
        std::uint64_t lanes[4] = {1, 2, 3, 4};
        unsigned lane = 0;
        each_value(r, [&](std::uint64_t value) {
            lanes[lane] = (std::rotl(lanes[lane], 29) ^ value) * math::golden;
            lane = (lane + 1) & 3;
        });
        return math::mix(lanes[0] ^ math::mix(lanes[1] ^ math::mix(lanes[2] ^ math::mix(lanes[3]))));
    }

    [[nodiscard]] bool same(Index a, Index b) const {
        if (space_.sparse()) return same_sparse(a, b);
        const auto x = space_.row(a), y = space_.row(b);
        for (std::size_t c = 0; c < x.size(); ++c) {
            if (!space_.unit_rows() && bits(x[c]) != bits(y[c])) return false;
            if (space_.unit_rows() && bits((static_cast<double>(x[c]) - space_.mean(a)) * space_.scale(a)) !=
                                          bits((static_cast<double>(y[c]) - space_.mean(b)) * space_.scale(b))) {
                return false;
            }
        }
        return true;
    }

private:
    [[nodiscard]] std::uint64_t bits_of(float value, Index r) const {
        if (!space_.unit_rows()) return bits(value);
        return bits((static_cast<double>(value) - space_.mean(r)) * space_.scale(r));
    }

    /// A stored value with the bits of a zero may be stored or not.
    template <class Take>
    void each_other(Index r, const Take& take) const {
        const SparseRow row = space_.sparse()->row(r);
        const std::uint64_t zero = bits_of(0, r);
        take(zero);
        for (std::size_t e = 0; e < row.columns.size(); ++e) {
            const std::uint64_t value = bits_of(row.values[e], r);
            if (value == zero) continue;
            take(static_cast<std::uint64_t>(row.columns[e]));
            take(value);
        }
    }

    [[nodiscard]] bool same_sparse(Index a, Index b) const {
        std::vector<std::uint64_t> x, y;
        each_other(a, [&](std::uint64_t value) { x.push_back(value); });
        each_other(b, [&](std::uint64_t value) { y.push_back(value); });
        return x == y;
    }

    const distance::Space& space_;
};

struct HashedRow {
    std::uint64_t hash;
    Index row;
    [[nodiscard]] bool operator<(const HashedRow& other) const {
        return hash != other.hash ? hash < other.hash : row < other.row;
    }
};

/// Hashed rows in buckets by the first bits of their hashes, so that equal rows share a bucket.
class HashBuckets {
public:
    static constexpr Offset count = 256;
    explicit HashBuckets(std::span<const std::uint64_t> hashes) : rows_(hashes.size()) {
        for (const std::uint64_t hash : hashes) ++begin_[number(hash) + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        auto next = begin_;
        for (std::size_t r = 0; r < hashes.size(); ++r)
            rows_[next[number(hashes[r])]++] = {hashes[r], static_cast<Index>(r)};
    }
    [[nodiscard]] std::span<HashedRow> of(Offset bucket) {
        const auto d = static_cast<std::size_t>(bucket);
        return std::span(rows_).subspan(begin_[d], begin_[d + 1] - begin_[d]);
    }

private:
    static std::size_t number(std::uint64_t hash) { return hash >> 56; }

    std::vector<HashedRow> rows_;
    std::array<std::size_t, count + 1> begin_{};
};

/// Sets leader[r], the first row that equals r. `run` holds the rows of one hash, ascending.
void find_leaders_of_run(const RowHasher& rows, std::span<const HashedRow> run, std::vector<Index>& leader) {
    std::vector<Index> leaders;
    for (const HashedRow& item : run) {
        const auto same = std::find_if(leaders.begin(), leaders.end(), [&](Index l) { return rows.same(l, item.row); });
        const Index first = same == leaders.end() ? item.row : *same;
        if (first == item.row) leaders.push_back(first);
        leader[static_cast<std::size_t>(item.row)] = first;
    }
}

std::vector<Index> find_leaders(device::Cpu& cpu, const distance::Space& space) {
    const Index n = space.rows();
    const RowHasher rows(space);
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(n));
    cpu.each(n, [&](Offset r) { hashes[static_cast<std::size_t>(r)] = rows.hash(static_cast<Index>(r)); }, 256);
    HashBuckets buckets(hashes);
    std::vector<Index> leader(hashes.size());
    cpu.each(
        HashBuckets::count,
        [&](Offset d) {
            const std::span<HashedRow> order = buckets.of(d);
            std::sort(order.begin(), order.end());
            for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
                while (end < order.size() && order[end].hash == order[begin].hash) ++end;
                find_leaders_of_run(rows, std::span(order).subspan(begin, end - begin), leader);
            }
        },
        1);
    return leader;
}

}  // namespace

DistinctRows find_distinct_rows(device::Cpu& cpu, const distance::Space& space) {
    const std::vector<Index> leader = find_leaders(cpu, space);
    const auto points = static_cast<std::size_t>(space.points().rows);
    DistinctRows found;
    found.group_of.resize(leader.size());
    Index groups = 0;
    for (std::size_t r = 0; r < leader.size(); ++r) {
        const auto l = static_cast<std::size_t>(leader[r]);
        found.group_of[r] = l == r || l >= points ? groups++ : found.group_of[l];
        if (l >= points) found.apart.push_back(static_cast<Index>(r));
    }
    const Index items = groups - static_cast<Index>(found.apart.size());

    // A counting sort keeps the members of a group ascending
    found.offsets.assign(static_cast<std::size_t>(items) + 1, 0);
    for (const Index g : std::span(found.group_of).first(points)) ++found.offsets[static_cast<std::size_t>(g) + 1];
    for (std::size_t g = 1; g < found.offsets.size(); ++g) found.offsets[g] += found.offsets[g - 1];
    std::vector<Offset> next = found.offsets;
    found.members.resize(points);
    for (std::size_t r = 0; r < points; ++r) {
        found.members[static_cast<std::size_t>(next[static_cast<std::size_t>(found.group_of[r])]++)] =
            static_cast<Index>(r);
    }
    return found;
}

}  // namespace dunlin::neighbors
