// SPDX-License-Identifier: Apache-2.0
#include "io/documents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/letter_case.hpp"
#include "io/memory.hpp"
#include "io/table_rows.hpp"
#include "io/table_schema.hpp"
#include "io/utf8.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t most_words = 10'000;
constexpr std::uint32_t capital_sigma = 0x3a3;

/// How often a word is in a text.
struct WordInText {
    Index word = 0;
    float count = 0;
};

/// The words of all texts, counted.
class Counts {
public:
    void add(std::string_view text) {
        std::vector<Index> ids;
        for (std::string& word : words_of(text)) {
            const auto [found, is_new] = id_of_.emplace(std::move(word), static_cast<Index>(id_of_.size()));
            if (is_new) words_.push_back(&found->first), texts_with_.push_back(0);
            ids.push_back(found->second);
        }
        std::sort(ids.begin(), ids.end());
        for (std::size_t begin = 0, end = 0; begin < ids.size(); begin = end) {
            while (end < ids.size() && ids[end] == ids[begin]) ++end;
            counted_.push_back({ids[begin], static_cast<float>(end - begin)});
            ++texts_with_[at(ids[begin])];
        }
        offsets_.push_back(counted_.size());
    }

    [[nodiscard]] Index texts() const { return static_cast<Index>(offsets_.size()) - 1; }
    [[nodiscard]] std::size_t words() const { return words_.size(); }
    [[nodiscard]] const std::string& word(Index id) const { return *words_[at(id)]; }
    [[nodiscard]] Index texts_with(Index id) const { return texts_with_[at(id)]; }
    [[nodiscard]] std::span<const WordInText> of(Index text) const {
        return {counted_.data() + offsets_[at(text)], offsets_[at(text) + 1] - offsets_[at(text)]};
    }

    /// The words that become columns: of two texts or more, those of most texts first where there are too many; in the
    /// order in which they come.
    [[nodiscard]] std::vector<Index> chosen() const {
        std::vector<Index> ids;
        for (Index id = 0; id < static_cast<Index>(words_.size()); ++id) {
            if (texts_with_[at(id)] > 1 || texts() < 3) ids.push_back(id);
        }
        if (ids.size() <= most_words) return ids;
        std::stable_sort(ids.begin(), ids.end(), [&](Index a, Index b) { return texts_with(a) > texts_with(b); });
        ids.resize(most_words);
        std::sort(ids.begin(), ids.end());
        return ids;
    }

private:
    std::unordered_map<std::string, Index> id_of_;
    std::vector<const std::string*> words_;
    std::vector<Index> texts_with_;
    GrowableBuffer<WordInText> counted_{"the counts of words"};
    std::vector<std::size_t> offsets_{0};
};

/// The rows, of length 1; `empty` counts those without a word.
std::vector<float> weighed(const Counts& counts, const std::vector<Index>& chosen, Index& empty) {
    std::vector<Index> column_of(counts.words(), -1);
    std::vector<double> weight(chosen.size());
    const double texts = counts.texts();
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        column_of[at(chosen[c])] = static_cast<Index>(c);
        weight[c] = std::log((1 + texts) / (1 + counts.texts_with(chosen[c]))) + 1;
    }
    require_memory(static_cast<std::uint64_t>(counts.texts()) * chosen.size() * sizeof(float),
                   "the words of the texts");
    std::vector<float> values(at(counts.texts()) * chosen.size(), 0.0F);
    for (Index text = 0; text < counts.texts(); ++text) {
        progress::cancellation_point();
        double square = 0;
        for (const WordInText& one : counts.of(text)) {
            const Index column = column_of[at(one.word)];
            if (column >= 0) square += std::pow(static_cast<double>(one.count) * weight[at(column)], 2);
        }
        empty += square > 0 ? 0 : 1;
        for (const WordInText& one : counts.of(text)) {
            const Index column = column_of[at(one.word)];
            if (column < 0) continue;
            values[at(text) * chosen.size() + at(column)] =
                static_cast<float>(static_cast<double>(one.count) * weight[at(column)] / std::sqrt(square));
        }
    }
    return values;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    std::size_t letters = 0;
    std::uint32_t last = 0;
    const auto finish = [&] {
        if (letters > 1 && last == capital_sigma) word.back() = '\x82';  // the final form, as in words in small letters
        if (letters > 1) words.push_back(word);
        word.clear();
        letters = 0;
    };
    while (!text.empty()) {
        const Character next = character_at(text);
        text.remove_prefix(next.length);
        if (is_of_word(next.code)) {
            std::array<char, 4> letter{};
            word.append(letter.data(), put_utf8(letter.data(), lower_case(next.code)));
            last = next.code;
            ++letters;
        } else {
            finish();
        }
    }
    finish();
    return words;
}

Points points_of_texts(const std::vector<std::string>& texts, const std::string& name) {
    if (texts.size() > at(most_items)) bad_file("'{}' has more than {} texts; split it", name, most_items);
    Counts counts;
    for (const std::string& text : texts) {
        progress::cancellation_point();
        counts.add(text);
    }
    const std::vector<Index> chosen = counts.chosen();
    if (chosen.empty())
        bad_file("'{}' has {} texts and no word that two of them share; give longer texts", name, texts.size());
    Points points;
    points.kind = "documents";
    Index empty = 0;
    std::vector<float> values = weighed(counts, chosen, empty);
    points.values = Matrix(counts.texts(), static_cast<Index>(chosen.size()), std::move(values));
    for (const Index id : chosen) points.columns.push_back(counts.word(id));
    points.notes.push_back(
        {fmt::format("read as {} texts by {} of their {} words, {}weighed by TF-IDF, rows of length 1", texts.size(),
                     chosen.size(), counts.words(),
                     chosen.size() == most_words ? "those of most texts, " : "those of two texts or more, "),
         ""});
    if (empty > 0)
        points.notes.push_back(
            {fmt::format("read with {} texts that have none of these words, as rows of zeros", empty), ""});
    return points;
}

Points read_text_column(const Bytes& bytes, const ReadOptions& options) {
    TableSchema schema = detect_schema(bytes, options);
    const std::size_t text = find_column(schema, options.text, bytes.name()), none = schema.roles.size();
    if (text == none)
        bad_option("text", "'{}' is no column of '{}'; give a column's name or its number from 1 to {}",
                   shown(options.text), bytes.name(), none);
    std::string left_out;
    for (std::size_t c = 0; c < none; ++c) {
        ColumnRole& role = schema.roles[c];
        if (c == text || role == ColumnRole::label || role == ColumnRole::id || role == ColumnRole::empty) continue;
        role = ColumnRole::skipped;
        left_out += (left_out.empty() ? "" : ", ") + schema.title(c);
    }
    schema.roles[text] = ColumnRole::word;
    TableRows rows(bytes, schema);
    std::size_t label = none;
    for (std::size_t c = 0; c < none; ++c) label = schema.roles[c] == ColumnRole::label ? c : label;
    while (rows.next()) {
    }
    Points points = points_of_texts(rows.words(text).all(), bytes.name());
    points.ids = std::move(rows.ids());
    if (label != none) points.labels = std::move(rows.words(label)).labels();
    if (!left_out.empty()) points.notes.push_back({"read without the columns " + left_out, ""});
    points.notes.insert(points.notes.end(), schema.notes.begin(), schema.notes.end());
    return points;
}

}  // namespace dunlin::io
