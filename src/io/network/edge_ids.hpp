// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/cells.hpp"
#include "io/network/draft.hpp"
#include "io/network/numbering.hpp"
#include "io/number.hpp"

/// The three kinds of ids in a list of edges, whose cells end at a delimiter. Each reads an id (`parse`: false if it is
/// of another kind), takes edges
/// (`add`) and in the end numbers the vertices from 0 (`finish`).
namespace dunlin::io {

/// Reads the digits of a cell; false if it holds anything else, or leading zeros, which are part of a name.
inline bool parse_digits(Cells& cells, std::uint64_t& value, std::ptrdiff_t most_digits) {
    const char* const first = cells.at();
    const char* p = first;
    value = 0;
    for (; is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    const std::ptrdiff_t digits = p - first;
    if (digits == 0 || digits > most_digits || (*first == '0' && digits > 1)) return false;
    if (*p == ' ' && cells.delimiter() != ' ') {
        while (*p == ' ') ++p;
    }
    return cells.accept(p);
}

/// Integers that are numbers of vertices already, or nearly.
class NarrowIds {
public:
    using Id = Index;
    static constexpr bool takes_all = false;

    explicit NarrowIds(char) {}

    bool parse(Cells& cells, Index& id) {
        std::uint64_t value = 0;
        if (!parse_digits(cells, value, 10) || value >= static_cast<std::uint64_t>(most_items)) return false;
        id = static_cast<Index>(value);
        return true;
    }
    void add(Draft& draft, Index source, Index target) {
        largest_ = std::max(largest_, std::max(source, target));
        draft.source->edges.add(source, target);
    }
    /// Are the ids so far apart that a bit for each that could be takes more room than the edges?
    [[nodiscard]] bool are_sparse(const Draft& draft) const;
    void finish(Draft& draft);

private:
    Index largest_ = -1;
};

/// Integers of up to 64 bits, numbered in ascending order.
class WideIds {
public:
    using Id = std::uint64_t;
    static constexpr bool takes_all = false;

    explicit WideIds(char) {}

    static bool parse(Cells& cells, std::uint64_t& id) { return parse_digits(cells, id, 19); }
    void add(Draft& draft, std::uint64_t source, std::uint64_t target) {
        numbering_.add(source, target, draft.source->edges);
    }
    static bool are_sparse(const Draft&) { return false; }
    void finish(Draft& draft);

private:
    Numbering<std::uint64_t> numbering_;
};

/// Anything else, numbered in order of first appearance.
class NameIds {
public:
    using Id = Name;
    static constexpr bool takes_all = true;  ///< but none at all

    explicit NameIds(char delimiter) {
        for (const char c : {delimiter, delimiter == ' ' ? '\t' : delimiter, '\n', '\r', '\0', ' '})
            ends_[byte(c)] = true;
    }

    bool parse(Cells& cells, Name& id) const {
        const char* const first = cells.at();
        const char* p = first;
        while (!ends_[byte(*p)]) ++p;
        if (*first != '"' && cells.accept(p)) {
            id = Name({first, static_cast<std::size_t>(p - first)});
        } else {
            id = Name(cells.raw());  // in quotes, or with blanks in or behind it
        }
        return !id.view().empty();
    }
    void add(Draft& draft, const Name& source, const Name& target) {
        numbering_.add(source, target, draft.source->edges);
    }
    static bool are_sparse(const Draft&) { return false; }
    void finish(Draft& draft);

private:
    static std::size_t byte(char c) { return static_cast<unsigned char>(c); }

    std::array<bool, 256> ends_{};  ///< does this byte end a plain name?
    Numbering<Name> numbering_;
};

}  // namespace dunlin::io
