// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <dunlin/texts.hpp>

#include "io/documents.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/run_reader.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

constexpr Index stop_word = -1;

/// Numbers keys as they come, and counts in how many texts each one is.
template <class Key>
class Vocabulary {
public:
    Index number(const Key& key) {
        const auto [found, is_new] = number_of_.emplace(key, static_cast<Index>(number_of_.size()));
        if (is_new) keys_.push_back(&found->first), texts_.push_back(0), last_text_.push_back(-1);
        return found->second;
    }
    /// Notes that a text has it.
    void see(Index number, Index text) {
        if (last_text_[at(number)] == text) return;
        last_text_[at(number)] = text;
        ++texts_[at(number)];
    }
    [[nodiscard]] Index size() const { return static_cast<Index>(keys_.size()); }
    [[nodiscard]] const Key& key(Index number) const { return *keys_[at(number)]; }
    [[nodiscard]] Index texts(Index number) const { return texts_[at(number)]; }

private:
    std::unordered_map<Key, Index> number_of_;
    std::vector<const Key*> keys_;
    std::vector<Index> texts_, last_text_;
};

/// The words of all texts in their order, by number; those of text t are [begin[t], begin[t + 1]).
struct Sequence {
    GrowableBuffer<Index> words{"the words of the texts"};
    std::vector<std::size_t> begin{0};

    [[nodiscard]] std::span<const Index> text(std::size_t t) const {
        return {words.data() + begin[t], begin[t + 1] - begin[t]};
    }
    [[nodiscard]] std::size_t texts() const { return begin.size() - 1; }
};

std::uint64_t pair_of(Index first, Index second) {
    return static_cast<std::uint64_t>(first) << 32U | static_cast<std::uint64_t>(second);
}

/// Counts words, then pairs of them, each only where both are in enough texts.
class WordCounter {
public:
    WordCounter(const std::vector<std::string>& texts, const WordOptions& options) : options_(options) {
        std::unordered_set<std::string> stops;
        for (const std::string& line : options.stop_words) {
            for (std::string& word : words_of(line)) stops.insert(std::move(word));
        }
        for (std::size_t t = 0; t < texts.size(); ++t) {
            progress::cancellation_point();
            for (const std::string& word : words_of(texts[t])) {
                const bool stops_here = stops.contains(word);
                const Index number = stops_here ? stop_word : words_.number(word);
                if (!stops_here) words_.see(number, static_cast<Index>(t));
                sequence_.words.push_back(number);
            }
            sequence_.begin.push_back(sequence_.words.size());
        }
        if (options.phrase > 1) see_pairs();
    }

    WordTable table() {
        WordTable table;
        choose(table);
        table.counts.rows = static_cast<Index>(sequence_.texts());
        table.counts.cols = static_cast<Index>(table.words.size());
        std::vector<Index> columns;
        for (std::size_t t = 0; t < sequence_.texts(); ++t) {
            progress::cancellation_point();
            columns.clear();
            each_in(t, [&](Index column) { columns.push_back(column); });
            add_row(columns, table.counts);
        }
        return table;
    }

private:
    [[nodiscard]] bool counts(Index word) const { return word >= 0 && words_.texts(word) >= options_.texts; }

    /// Calls visit(pair) for adjacent words of a text that both count.
    template <class Visit>
    void each_pair(std::size_t text, const Visit& visit) const {
        const std::span<const Index> words = sequence_.text(text);
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (counts(words[i - 1]) && counts(words[i])) visit(pair_of(words[i - 1], words[i]));
        }
    }

    void see_pairs() {
        for (std::size_t t = 0; t < sequence_.texts(); ++t) {
            progress::cancellation_point();
            each_pair(t, [&](std::uint64_t pair) { pairs_.see(pairs_.number(pair), static_cast<Index>(t)); });
        }
    }

    [[nodiscard]] std::string text_of(std::uint64_t pair) const {
        return words_.key(static_cast<Index>(pair >> 32U)) + ' ' + words_.key(static_cast<Index>(pair & 0xffffffffU));
    }

    /// Sets the words of the table, and the column of each word and pair.
    void choose(WordTable& table) {
        struct Chosen {
            std::string text;
            Index* column;
        };
        column_of_word_.assign(at(words_.size()), -1);
        column_of_pair_.assign(at(pairs_.size()), -1);
        std::vector<Chosen> chosen;
        for (Index w = 0; w < words_.size(); ++w) {
            if (counts(w)) chosen.push_back({words_.key(w), &column_of_word_[at(w)]});
        }
        for (Index p = 0; p < pairs_.size(); ++p) {
            if (pairs_.texts(p) >= options_.texts) chosen.push_back({text_of(pairs_.key(p)), &column_of_pair_[at(p)]});
        }
        std::sort(chosen.begin(), chosen.end(), [](const Chosen& a, const Chosen& b) { return a.text < b.text; });
        for (Chosen& each : chosen) {
            *each.column = static_cast<Index>(table.words.size());
            table.words.push_back(std::move(each.text));
        }
    }

    template <class Visit>
    void each_in(std::size_t text, const Visit& visit) {
        for (const Index word : sequence_.text(text)) {
            if (word >= 0 && column_of_word_[at(word)] >= 0) visit(column_of_word_[at(word)]);
        }
        if (pairs_.size() == 0) return;
        each_pair(text, [&](std::uint64_t pair) {
            const Index column = column_of_pair_[at(pairs_.number(pair))];
            if (column >= 0) visit(column);
        });
    }

    static void add_row(std::vector<Index>& columns, SparseMatrix& counts) {
        std::sort(columns.begin(), columns.end());
        for (std::size_t i = 0, last = 0; i < columns.size(); i = last) {
            while (last < columns.size() && columns[last] == columns[i]) ++last;
            counts.columns.push_back(columns[i]);
            counts.values.push_back(static_cast<float>(last - i));
        }
        counts.offsets.push_back(std::ssize(counts.columns));
    }

    const WordOptions& options_;
    Vocabulary<std::string> words_;
    Vocabulary<std::uint64_t> pairs_;
    Sequence sequence_;
    std::vector<Index> column_of_word_, column_of_pair_;
};

}  // namespace

WordTable count_words(const std::vector<std::string>& texts, const WordOptions& options, const Run& run) {
    WordTable table;
    const ReadScope scope(run);
    const bool done = progress::run_cancellable(run.stop, [&] { table = WordCounter(texts, options).table(); });
    return done ? std::move(table) : WordTable{};
}

}  // namespace dunlin::io
