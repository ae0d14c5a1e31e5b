// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <dunlin/types.hpp>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/network/parsed_network.hpp"

namespace dunlin::io {

inline std::uint64_t mixed(std::uint64_t key) {
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
    return key ^ (key >> 32);
}

inline std::uint64_t hash_of(std::uint64_t key) { return mixed(key); }

/// A name in a file. Names of up to 15 bytes are stored inline, so that most comparisons do not read the file.
struct VertexName {
    std::uint64_t low = 0, high = 0;  ///< bytes and length; of a longer name, its hash and length
    const char* text = nullptr;

    /// `name` points into Bytes, whose padding allows 16 bytes to be read.
    explicit VertexName(std::string_view name) : text(name.data()) {
        if (name.size() <= longest_inside) {
            std::memcpy(&low, text, 8);
            std::memcpy(&high, text + 8, 8);
            if (name.size() < 8) low &= ~std::uint64_t{0} >> 1 >> (63 - 8 * name.size());
            high &= name.size() <= 8 ? 0 : ~std::uint64_t{0} >> (128 - 8 * name.size());
            high |= std::uint64_t{name.size()} << 56;
        } else {
            low = name.size();
            for (const char c : name) low = mixed(low ^ static_cast<unsigned char>(c));
            high = (std::uint64_t{0xff} << 56) | name.size();
        }
    }
    VertexName() = default;

    [[nodiscard]] std::string_view view() const {
        return {text, inside() ? high >> 56 : high & ~(std::uint64_t{0xff} << 56)};
    }
    bool operator==(const VertexName& other) const {
        return low == other.low && high == other.high && (inside() || view() == other.view());
    }

private:
    static_assert(std::endian::native == std::endian::little, "the first bytes have to be the lowest");
    static constexpr std::size_t longest_inside = 15;
    [[nodiscard]] bool inside() const { return high >> 56 != 0xff; }
};

inline std::uint64_t hash_of(const VertexName& name) { return mixed(mixed(name.low) ^ name.high); }

/// Numbers distinct keys, the ends of edges, from 0 in order of first appearance, by a hash table. Edges are processed
/// in batches, whose hash slots are prefetched.
template <class Key>
class VertexNumbering {
public:
    /// Adds an edge to `edges`, now or at the next flush.
    void add(Key source, Key target, EdgeList& edges) {
        waiting_[count_++] = source;
        waiting_[count_++] = target;
        if (count_ == batch) flush(edges);
    }

    void flush(EdgeList& edges) {
        std::uint64_t hashes[batch];
        for (std::size_t i = 0; i < count_; ++i) {
            hashes[i] = hash_of(waiting_[i]);
            __builtin_prefetch(&slots_[hashes[i] & mask()]);
        }
        for (std::size_t i = 0; i < count_; ++i) {
            const Slot& slot = slots_[hashes[i] & mask()];
            if (slot.index >= 0) __builtin_prefetch(&keys_[static_cast<std::size_t>(slot.index)]);
        }
        for (std::size_t i = 0; i < count_; i += 2) {
            const Index source = number_of(waiting_[i], hashes[i]);
            edges.add(source, number_of(waiting_[i + 1], hashes[i + 1]));
        }
        count_ = 0;
    }

    [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

private:
    static constexpr std::size_t batch = 64;

    struct Slot {
        std::uint32_t tag = 0;
        Index index = -1;
    };

    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

    Index number_of(const Key& key, std::uint64_t hash) {
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t at = hash & mask();
        for (; slots_[at].index >= 0; at = (at + 1) & mask()) {
            if (slots_[at].tag == tag && keys_[static_cast<std::size_t>(slots_[at].index)] == key) {
                return slots_[at].index;
            }
        }
        if (static_cast<Offset>(keys_.size()) == most_items) bad_file("there are more than {} vertices", most_items);
        const auto index = static_cast<Index>(keys_.size());
        keys_.push_back(key);
        slots_[at] = {tag, index};
        if (2 * keys_.size() > slots_.size()) grow();
        return index;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::uint64_t hash = hash_of(keys_[i]);
            std::size_t at = hash & mask();
            while (slots_[at].index >= 0) at = (at + 1) & mask();
            slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<Index>(i)};
        }
    }

    Key waiting_[batch]{};
    std::size_t count_ = 0;
    std::vector<Slot> slots_ = std::vector<Slot>(1024);
    std::vector<Key> keys_;
};

}  // namespace dunlin::io
