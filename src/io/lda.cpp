// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <vector>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/growable_buffer.hpp"
#include "io/lda.hpp"
#include "io/number.hpp"
#include "io/read_progress.hpp"
#include "io/readers.hpp"
#include "io/zeros.hpp"

namespace dunlin::io {

namespace {

struct WordCount {
    Offset id;
    float count;
};

/// Splits a line, which points into Bytes, at blanks.
class LineTokens {
public:
    explicit LineTokens(std::string_view text) : text_(text) {}

    /// The next token; empty at the end.
    std::string_view word() {
        const std::size_t first = std::min(text_.find_first_not_of(" \t\r"), text_.size());
        text_.remove_prefix(first);
        const std::string_view word = text_.substr(0, text_.find_first_of(" \t\r"));
        text_.remove_prefix(word.size());
        return word;
    }

private:
    std::string_view text_;
};

bool parse_whole(std::string_view word, Offset& value) {
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == word.data() + word.size() && value >= 0;
}

/// Parses "id:count"; false if the count is not a finite number.
bool parse_pair(std::string_view word, WordCount& pair) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    double count = 0;
    if (!parse_whole(word.substr(0, colon), pair.id)) return false;
    if (colon + 1 >= word.size() || !parse_field(word.substr(colon + 1), '.', count)) return false;
    pair.count = static_cast<float>(count);
    return std::isfinite(pair.count);
}

/// Calls use(line, position) for lines that are not blank, until it returns false.
template <class Use>
void each_line(const Bytes& bytes, const Use& use) {
    for (const char* p = bytes.begin(); p != bytes.end();) {
        const char* const end = std::find(p, bytes.end(), '\n');
        const std::string_view line(p, static_cast<std::size_t>(end - p));
        if (line.find_first_not_of(" \t\r") != std::string_view::npos && !use(line, p)) return;
        p = end == bytes.end() ? end : end + 1;
    }
}

/// Number of pairs in a line of LDA-C; -1 if the line is malformed or declares another number.
Offset count_pairs(std::string_view text) {
    LineTokens line(text);
    Offset announced = 0, pairs = 0;
    if (!parse_whole(line.word(), announced)) return -1;
    WordCount pair{};
    for (std::string_view word = line.word(); !word.empty(); word = line.word(), ++pairs) {
        if (!parse_pair(word, pair)) return -1;
    }
    return pairs == announced ? pairs : -1;
}

}  // namespace

bool is_lda(const Bytes& bytes) {
    constexpr int looked_at = 32;
    int lines = 0;
    Offset pairs = 0;
    bool all = true;
    each_line(bytes, [&](std::string_view line, const char*) {
        const Offset count = count_pairs(line);
        all = count >= 0;
        pairs += count;
        return all && ++lines < looked_at;
    });
    return all && pairs > 0;
}

Index each_lda_count(const Bytes& bytes, const std::function<void(Offset, float)>& use,
                     const std::function<void()>& end_document) {
    Offset largest = -1, documents = 0;
    ReadProgress progress("read", bytes.view());
    each_line(bytes, [&](std::string_view text, const char* place) {
        progress.advance(place);
        const auto fail = [&](const std::string& what) {
            bad_file("{}: {}; correct the line (LDA-C: the number of pairs, then id:count ...)",
                     at_line(bytes.name(), line_of(bytes, place)), what);
        };
        LineTokens line(text);
        Offset announced = 0, found = 0;
        const std::string_view first = line.word();
        if (!parse_whole(first, announced)) fail(fmt::format("'{}' is no number of pairs", shown(first)));
        WordCount pair{};
        for (std::string_view word = line.word(); !word.empty(); word = line.word(), ++found) {
            if (!parse_pair(word, pair)) fail(fmt::format("'{}' is no id:count", shown(word)));
            if (pair.id >= most_items) fail(fmt::format("the id {} is beyond {}", pair.id, most_items - 1));
            largest = std::max(largest, pair.id);
            use(pair.id, pair.count);
        }
        if (found != announced) fail(fmt::format("the line announces {} pairs and has {}", announced, found));
        if (++documents > most_items) bad_file("'{}' has more than {} documents; split it", bytes.name(), most_items);
        end_document();
        return true;
    });
    if (largest < 0) bad_file("'{}' has no counts at all; give lines of N id:count ...", bytes.name());
    return static_cast<Index>(largest + 1);
}

Points read_lda(const Bytes& bytes, const ReadOptions& options) {
    if (options.transpose) bad_option("transpose", "the lines of '{}' are documents already", bytes.name());
    GrowableBuffer<WordCount> pairs("the counts of '" + bytes.name() + "'");
    std::vector<std::size_t> offsets{0};
    const Index words = each_lda_count(
        bytes, [&](Offset id, float count) { pairs.push_back({id, count}); }, [&] { offsets.push_back(pairs.size()); });
    ZeroMatrix zeros(bytes, static_cast<Index>(offsets.size() - 1), words);
    for (std::size_t d = 0; d + 1 < offsets.size(); ++d) {
        progress::cancellation_point();
        for (std::size_t e = offsets[d]; e < offsets[d + 1]; ++e)
            zeros.at(static_cast<Index>(d), static_cast<Index>(pairs.data()[e].id)) += pairs.data()[e].count;
    }
    Points points;
    points.kind = "lda-c";
    points.values = zeros.matrix();
    check_finite(points.values.view(), bytes.name());
    return points;
}

}  // namespace dunlin::io
