// SPDX-License-Identifier: Apache-2.0
#include "sequences/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include <dunlin/error.hpp>

#include "device/aligned.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "sequences/edit_lanes.hpp"
#include "sequences/pair_distances.hpp"

namespace dunlin::sequences {

namespace {

using Text = std::span<const std::uint32_t>;

constexpr int word_bits = 64;
constexpr int strips = 4;  ///< strips of 64 rows that are computed at once, each a symbol behind the one above
constexpr Index rows_of_tile = lane_bytes / sizeof(std::uint16_t);
constexpr Offset symbols_between_points = 1 << 20;  ///< between cancellation points: some milliseconds

/// Symbols numbered from 0 without gaps, and their number.
struct Alphabet {
    std::vector<std::uint32_t> symbols;
    std::uint32_t size = 0;
};

Alphabet numbered(const std::vector<std::uint32_t>& symbols) {
    std::vector<std::uint32_t> distinct = symbols;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    Alphabet alphabet{std::vector<std::uint32_t>(symbols.size()), static_cast<std::uint32_t>(distinct.size())};
    const auto number = [&](std::uint32_t symbol) {
        return static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), symbol) -
                                          distinct.begin());
    };
    std::transform(symbols.begin(), symbols.end(), alphabet.symbols.begin(), number);
    return alphabet;
}

class EditMemory : public ItemDistances::ThreadMemory {
public:
    explicit EditMemory(std::uint32_t alphabet) : slots_(alphabet) {}

    /// The slot of a symbol; a new one has a zero vector. Slot 0 is that of all symbols that no pattern has.
    std::uint32_t slot_of(std::uint32_t symbol) {
        std::uint32_t& slot = slots_[symbol];
        if (slot == 0) {
            slot = ++used_;
            taken_.push_back(symbol);
            if (match_.size() < (used_ + 1) * lane_bytes) match_.resize((used_ + 1) * lane_bytes * 2);
            std::memset(match_.data() + slot * lane_bytes, 0, lane_bytes);
        }
        return slot;
    }

    /// Removes all patterns.
    void clear() {
        for (const std::uint32_t symbol : taken_) slots_[symbol] = 0;
        taken_.clear();
        used_ = 0;
        if (match_.size() < lane_bytes) match_.resize(lane_bytes);
        std::memset(match_.data(), 0, lane_bytes);
    }

    /// The symbols of a text as slots.
    Text slots(Text text) {
        text_.resize(text.size());
        std::transform(text.begin(), text.end(), text_.begin(), [&](std::uint32_t symbol) { return slots_[symbol]; });
        return text_;
    }

    unsigned char* match(std::uint32_t slot) { return match_.data() + slot * lane_bytes; }
    std::vector<unsigned char>& across(std::size_t symbols) {
        across_.assign(symbols, 1);
        return across_;
    }

private:
    std::vector<std::uint32_t> slots_, taken_, text_;
    std::uint32_t used_ = 0;
    device::AlignedBuffer<unsigned char> match_;
    std::vector<unsigned char> across_;  ///< horizontal differences between strips: 1 for +1, 2 for -1
};

/// Writes and reads numbers of a lane.
template <class Word>
void put(unsigned char* vector, std::size_t lane, Word value) {
    std::memcpy(vector + lane * sizeof(Word), &value, sizeof value);
}
template <class Word>
Word get(const unsigned char* vector, std::size_t lane) {
    Word value;
    std::memcpy(&value, vector + lane * sizeof(Word), sizeof value);
    return value;
}

/// Four strips of 64 rows of a pattern along a text. across: horizontal differences above the first strip; on return
/// those of the last row. Returns the sum of the vertical differences of the pattern's rows in the last column.
Offset run_strips(EditMemory& space, Text pattern, Text text, std::vector<unsigned char>& across) {
    space.clear();
    for (std::size_t row = 0; row < pattern.size(); ++row) {
        unsigned char* const match = space.match(space.slot_of(pattern[row]));
        const std::size_t strip = row / word_bits;
        put(match, strip, get<std::uint64_t>(match, strip) | std::uint64_t{1} << (row % word_bits));
    }
    const Text slots = space.slots(text);
    const unsigned char* const matches = space.match(0);
    EditColumn<std::uint64_t> columns[strips];
    std::fill(std::begin(columns), std::end(columns), EditColumn<std::uint64_t>{~std::uint64_t{0}, 0});
    std::uint64_t plus[strips + 1] = {}, minus[strips + 1] = {};  // above each strip
    const auto advance = [&](Offset column, int strip) {
        if (strip == 0) {
            plus[0] = across[at(column)] & 1U;
            minus[0] = across[at(column)] >> 1U;
        }
        const auto match =
            get<std::uint64_t>(matches + slots[at(column)] * lane_bytes, static_cast<std::size_t>(strip));
        const auto step = edit_step(columns[strip], match, plus[strip], minus[strip]);
        plus[strip + 1] = step.plus >> (word_bits - 1);
        minus[strip + 1] = step.minus >> (word_bits - 1);
        if (strip == strips - 1) across[at(column)] = static_cast<unsigned char>(plus[strips] | minus[strips] << 1U);
    };
    const Offset length = std::ssize(text);
    for (Offset now = 0; now < length + strips - 1; ++now) {
        const bool inside = now >= strips - 1 && now < length;
        for (int strip = strips - 1; strip >= 0; --strip) {
            const Offset column = now - strip;
            if (inside || (column >= 0 && column < length)) advance(column, strip);
        }
    }
    Offset sum = 0;
    for (int strip = 0; strip < strips; ++strip) {
        const Offset rows = std::clamp<Offset>(std::ssize(pattern) - Offset{strip} * word_bits, 0, word_bits);
        sum += vertical_sum(columns[strip], static_cast<int>(rows));
    }
    return sum;
}

/// The edit distance of two texts of any length: strip after strip of the shorter one, along the longer one.
Offset edit_by_strips(EditMemory& space, Text pattern, Text text) {
    if (pattern.size() > text.size()) std::swap(pattern, text);
    std::vector<unsigned char>& across = space.across(text.size());
    Offset distance = std::ssize(text);
    constexpr std::size_t rows = strips * word_bits;
    for (std::size_t row = 0; row < pattern.size(); row += rows) {
        progress::cancellation_point();
        distance += run_strips(space, pattern.subspan(row, std::min(rows, pattern.size() - row)), text, across);
    }
    return distance;
}

using EditLanes = void (*)(const PatternLanes&, Text, unsigned char*);

class EditDistances : public ItemDistances {
public:
    explicit EditDistances(const Strings& items) : alphabet_(numbered(items.symbols)), offsets_(items.offsets) {}

    [[nodiscard]] Index size() const override { return static_cast<Index>(offsets_.size()) - 1; }
    [[nodiscard]] Index rows_at_once() const override { return rows_of_tile; }
    [[nodiscard]] std::unique_ptr<ThreadMemory> workspace() const override {
        return std::make_unique<EditMemory>(alphabet_.size);
    }

    [[nodiscard]] std::vector<Index> order() const override {
        std::vector<Index> items(at(size()));
        std::iota(items.begin(), items.end(), 0);
        std::stable_sort(items.begin(), items.end(), [&](Index i, Index j) { return item(i).size() < item(j).size(); });
        return items;
    }

    [[nodiscard]] double seconds_of_all() const override {
        constexpr double of_pair = 5e-9, of_cell = 4e-11;
        const auto symbols = static_cast<double>(alphabet_.symbols.size());
        return (of_pair * size() * size() + of_cell * symbols * symbols) / 2;
    }

    void tile(ThreadMemory& workspace, std::span<const Index> rows, std::span<const Index> columns,
              float* out) const override {
        auto& space = dynamic_cast<EditMemory&>(workspace);
        while (!rows.empty()) {
            const auto next = rows.first(std::min(rows.size(), part(space, rows, columns, out)));
            rows = rows.subspan(next.size());
            out += next.size() * columns.size();
        }
    }

    [[nodiscard]] ItemArrays arrays() const override {
        return StringArrays{alphabet_.symbols, offsets_, alphabet_.size};
    }

private:
    [[nodiscard]] Text item(Index i) const {
        return Text(alphabet_.symbols).subspan(at(offsets_[at(i)]), at(offsets_[at(i) + 1] - offsets_[at(i)]));
    }

    /// Whether the first rows, as many as a vector has words, are patterns of at most a word.
    template <class Word>
    [[nodiscard]] bool fits(std::span<const Index> rows) const {
        const auto some = rows.first(std::min(rows.size(), lane_bytes / sizeof(Word)));
        return std::all_of(some.begin(), some.end(), [&](Index i) { return item(i).size() <= 8 * sizeof(Word); });
    }

    /// The first rows of a tile; returns their number.
    std::size_t part(EditMemory& space, std::span<const Index> rows, std::span<const Index> columns, float* out) const {
        if (fits<std::uint16_t>(rows)) return by_lanes<std::uint16_t>(space, rows, columns, out, edit_lanes16);
        if (fits<std::uint32_t>(rows)) return by_lanes<std::uint32_t>(space, rows, columns, out, edit_lanes32);
        if (fits<std::uint64_t>(rows)) return by_lanes<std::uint64_t>(space, rows, columns, out, edit_lanes64);
        for (std::size_t c = 0; c < columns.size(); ++c)
            out[c] = static_cast<float>(edit_by_strips(space, item(rows.front()), item(columns[c])));
        return 1;
    }

    template <class Word>
    std::size_t by_lanes(EditMemory& space, std::span<const Index> rows, std::span<const Index> columns, float* out,
                         EditLanes run) const {
        constexpr std::size_t lanes = lane_bytes / sizeof(Word);
        const std::size_t used = std::min(rows.size(), lanes);
        alignas(lane_bytes) unsigned char last[lane_bytes] = {}, length[lane_bytes] = {}, distance[lane_bytes] = {};
        space.clear();
        for (std::size_t lane = 0; lane < used; ++lane) {
            const Text pattern = item(rows[lane]);
            for (std::size_t row = 0; row < pattern.size(); ++row) {
                unsigned char* const match = space.match(space.slot_of(pattern[row]));
                put(match, lane, static_cast<Word>(get<Word>(match, lane) | Word{1} << row));
            }
            put(length, lane, static_cast<Word>(pattern.size()));
            if (!pattern.empty()) put(last, lane, static_cast<Word>(Word{1} << (pattern.size() - 1)));
        }
        Offset since_point = 0;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Text text = space.slots(item(columns[c]));
            run({space.match(0), last, length}, text, distance);
            for (std::size_t lane = 0; lane < used; ++lane) {
                const std::size_t rows_there = item(rows[lane]).size();
                // The distance is at least `least` and at most a word's bits more
                const std::size_t least = std::max(text.size(), rows_there) - std::min(text.size(), rows_there);
                const auto above = static_cast<Word>(get<Word>(distance, lane) - static_cast<Word>(least));
                out[lane * columns.size() + c] =
                    rows_there == 0 ? static_cast<float>(text.size()) : static_cast<float>(least + above);
            }
            since_point += std::ssize(text);
            if (since_point < symbols_between_points) continue;
            progress::cancellation_point();
            since_point = 0;
        }
        return used;
    }

    Alphabet alphabet_;
    std::vector<Offset> offsets_;
};

}  // namespace

std::shared_ptr<const ItemDistances> pair_distances(const Strings& items, Options& options) {
    options.metric = options.metric.value_or(Metric::edit);
    if (*options.metric != Metric::edit) {
        throw Error(Fault::bad_input,
                    fmt::format("metric is {}, which is of tracks; these items are strings: use edit",
                                name_of(*options.metric)),
                    {.option = "metric"});
    }
    return std::make_shared<EditDistances>(items);
}

}  // namespace dunlin::sequences
