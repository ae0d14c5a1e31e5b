// SPDX-License-Identifier: Apache-2.0
#include "io/network/edge_ids.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>
#include <unordered_set>

#include <dunlin/labels.hpp>

#include "device/pieces.hpp"
#include "io/network/edge_header.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// A bit set with rank queries: number of members below a given one.
class RankedSet {
public:
    explicit RankedSet(Index largest) : words_(static_cast<std::size_t>(largest) / 64 + 1) {}

    void insert(Index id) { words_[static_cast<std::size_t>(id) / 64].bits |= std::uint64_t{1} << (id % 64); }

    /// Call after the last insert. Returns the number of members.
    Index count() {
        Index before = 0;
        for (Word& word : words_) {
            word.before = before;
            before += std::popcount(word.bits);
        }
        return before;
    }
    [[nodiscard]] Index rank(Index id) const {
        const Word& word = words_[static_cast<std::size_t>(id) / 64];
        return word.before + std::popcount(word.bits & ((std::uint64_t{1} << (id % 64)) - 1));
    }

    /// Calls use(id) for every member in ascending order.
    template <class Use>
    void each(const Use& use) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t bits = words_[w].bits; bits != 0; bits &= bits - 1) {
                use(static_cast<Index>(w * 64) + std::countr_zero(bits));
            }
        }
    }

private:
    struct Word {
        std::uint64_t bits = 0;
        Index before = 0;
    };
    std::vector<Word> words_;
};

/// Renumbers the ends of all edges.
template <class Number>
void renumber(EdgeList& edges, const Number& number) {
    for (std::size_t e = 0; e < edges.ends.size(); ++e) {
        graph::Edge& edge = edges.ends.data()[e];
        edge = {number(edge.source), number(edge.target)};
    }
}

}  // namespace

bool NarrowIds::are_unsuited(const ParsedNetwork& parsed) const {
    return largest_ / 64 > 4096 + static_cast<Offset>(parsed.source->edges.ends.size());
}

void NarrowIds::finish(ParsedNetwork& parsed) {
    RankedSet ranks(largest_);
    for (const graph::Edge edge : parsed.source->edges.all()) {
        ranks.insert(edge.source);
        ranks.insert(edge.target);
    }
    parsed.source->vertices = ranks.count();
    if (parsed.source->vertices == largest_ + 1) return;
    renumber(parsed.source->edges, [&](Index id) { return ranks.rank(id); });
    parsed.network.ids.reserve(static_cast<std::size_t>(parsed.source->vertices));
    ranks.each([&](Index id) { parsed.network.ids.push_back(std::to_string(id)); });
}

void WideIds::finish(ParsedNetwork& parsed) {
    numbering_.flush(parsed.source->edges);
    const std::vector<std::uint64_t>& keys = numbering_.keys();
    std::vector<Index> order(keys.size()), ranks(keys.size());
    std::iota(order.begin(), order.end(), 0);
    device::sort_in_pieces(order.begin(), order.end(), [&](Index a, Index b) { return keys[at(a)] < keys[at(b)]; });
    for (std::size_t r = 0; r < order.size(); ++r) {
        ranks[at(order[r])] = static_cast<Index>(r);
        parsed.network.ids.push_back(std::to_string(keys[at(order[r])]));
    }
    parsed.source->vertices = static_cast<Index>(keys.size());
    renumber(parsed.source->edges, [&](Index id) { return ranks[at(id)]; });
}

bool DecimalIds::parse(FieldReader& fields, std::uint64_t& id) {
    constexpr std::size_t most_digits = 19;
    const std::string_view raw = fields.raw(), whole = whole_part(raw, fields.point());
    if (whole.empty() || whole.size() > most_digits || (whole[0] == '0' && whole.size() > 1)) return false;
    if (whole.size() < raw.size() && example_.empty()) example_ = raw;
    return std::from_chars(whole.data(), whole.data() + whole.size(), id).ec == std::errc();
}

void DecimalIds::finish(ParsedNetwork& parsed) {
    whole_.finish(parsed);
    const std::string_view whole = example_.substr(0, example_.find_first_of(".,"));
    parsed.network.notes.push_back(
        {fmt::format("read with whole numbers that are written as decimals as the same vertices: {} is {}", example_,
                     whole),
         ""});
}

bool NameIds::is_missing_end(std::string_view name) {
    return is_missing_label(name) || name == "?" || name == "-" || name == "Null" || name == "NAN" || name == "NONE";
}

namespace {

/// Warns of vertices that are one number in two spellings, such as 1 and 1.0.
void warn_of_spellings(Network& network) {
    std::unordered_set<std::string_view> whole;
    std::vector<std::string_view> decimals;
    for (const std::string& id : network.ids) {
        if (is_whole(id))
            whole.insert(id);
        else if (!whole_part(id, '.').empty())
            decimals.push_back(id);
    }
    std::size_t count = 0;
    std::string_view example;
    for (const std::string_view decimal : decimals) {
        if (!whole.contains(whole_part(decimal, '.'))) continue;
        if (count++ == 0) example = decimal;
    }
    if (count == 0) return;
    network.warnings.push_back(fmt::format("numbers that are two vertices by their spelling: {}, such as {} and {}",
                                           count, whole_part(example, '.'), example));
}

}  // namespace

void NameIds::finish(ParsedNetwork& parsed) {
    numbering_.flush(parsed.source->edges);
    for (const VertexName& name : numbering_.keys()) parsed.network.ids.push_back(unquoted(name.view()));
    parsed.source->vertices = static_cast<Index>(numbering_.keys().size());
    warn_of_spellings(parsed.network);
}

}  // namespace dunlin::io
