// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/growable_buffer.hpp"
#include "io/network/weight_names.hpp"
#include "io/read_progress.hpp"
#include "io/triangle.hpp"
#include "io/triangle_rows.hpp"
#include "progress/cancel.hpp"

/// Lists of pairs and their distances.
namespace dunlin::io {

namespace {

struct Pair {
    Index a, b;
    float distance;
};

class PairsReader {
public:
    PairsReader(const Bytes& bytes, Dialect dialect)
        : bytes_(bytes),
          fields_(bytes, dialect, text_of(bytes), false),
          pairs_("the pairs of '" + bytes.name() + "'") {}

    std::optional<Square> read() {
        if (!begins_with_pairs()) return {};
        ReadProgress progress("read", bytes_.view());
        for (const char* place = start_of_row(); place != nullptr; place = start_of_row()) {
            progress.advance(place);
            add(raw_fields(fields_), place);
        }
        return square();
    }

private:
    [[nodiscard]] bool is_distance(std::string_view raw) const {
        float value = 0;
        return parse_entry(raw, fields_.point(), value);
    }

    /// Whether the first row, or the one below a header, is a pair. Skips the header.
    bool begins_with_pairs() {
        FieldReader ahead = fields_;
        columns_ = raw_fields(ahead).size();
        if (columns_ < 3 || !are_equally_long(columns_)) return false;
        ahead = fields_;
        std::vector<std::string_view> row = raw_fields(ahead);
        const bool is_titled = columns_ > 3 || !is_distance(row[2]);
        if (!is_titled) {
            if (!names_columns(row, ahead)) return true;
            title_ = fmt::format("'{}', '{}' and '{}'", shown(row[0]), shown(row[1]), shown(row[2]));
        }
        fields_ = ahead;
        const std::vector<std::string_view> first = raw_fields(ahead);
        if (first.size() != columns_ || (is_titled && !find_distances(row, first))) return false;
        return is_distance(first[value_]);
    }

    /// Whether the first rows have as many cells; those of a ragged table have not.
    [[nodiscard]] bool are_equally_long(std::size_t cells) const {
        FieldReader ahead = fields_;
        constexpr int looked_at = 32;
        for (int r = 0; r < looked_at; ++r) {
            const std::size_t here = raw_fields(ahead).size();
            if (here != cells && (here > 0 || r == 0)) return false;
        }
        return true;
    }

    /// Finds the column of distances by its title; of three columns the last has them. False for a table of other
    /// columns. Throws if the title says that large numbers are close.
    bool find_distances(const std::vector<std::string_view>& titles, const std::vector<std::string_view>& first) {
        std::vector<std::string> names;
        for (const std::string_view title : titles) names.push_back(unquoted(title));
        // The name of the first row above a column: a matrix, whatever its items are called
        if (columns_ > 3 && std::find(names.begin() + 1, names.end(), unquoted(first[0])) != names.end()) return false;
        value_ = columns_ == 3 ? 2 : by_title(names);
        if (value_ == columns_) value_ = close_by_title(names, first);
        if (value_ == columns_) return false;
        if (are_close(names[value_])) {
            bad_file(
                "'{}': column {} '{}' is called as numbers that are large for close items, and a list of pairs has "
                "distances; write distances, such as 1 - similarity, or call the column distance if it has them",
                bytes_.name(), value_ + 1, shown(names[value_]));
        }
        if (columns_ > 3)
            title_ = fmt::format("'{}' and '{}' as pairs and '{}' as their distances, without the other columns",
                                 shown(titles[0]), shown(titles[1]), shown(titles[value_]));
        return true;
    }

    /// The only column after the ends whose title is that of distances; columns_ if there is none.
    [[nodiscard]] std::size_t by_title(const std::vector<std::string>& names) const {
        std::size_t found = columns_;
        for (std::size_t c = 2; c < columns_; ++c) {
            const std::string name = lower(names[c]);
            const bool is_usual = name.find("dist") != std::string::npos || name.find("dissim") != std::string::npos ||
                                  name == "length" || name == "cost";
            if (!is_usual) continue;
            if (found < columns_)
                bad_file("'{}': columns '{}' and '{}' could both be the distances of pairs; remove one", bytes_.name(),
                         shown(names[found]), shown(names[c]));
            found = c;
        }
        return found;
    }

    /// The first column of numbers whose title says that large ones are close, where the ends are words.
    [[nodiscard]] std::size_t close_by_title(const std::vector<std::string>& names,
                                             const std::vector<std::string_view>& first) const {
        for (std::size_t c = 2; c < columns_; ++c) {
            if (!is_distance(first[0]) && !is_distance(first[1]) && is_distance(first[c]) && are_close(names[c]))
                return c;
        }
        return columns_;
    }

    /// Whether a title is that of similarities or of weights.
    static bool are_close(const std::string& title) {
        const std::string name = lower(title);
        if (name.find("dist") != std::string::npos) return false;
        return is_strength(title) || name.starts_with("weight") || name == "sims";
    }

    /// Whether a first row ends with 0, as pandas names a column without a name, and names no items: level_0,level_1,0.
    static bool names_columns(const std::vector<std::string_view>& first, FieldReader below) {
        if (unquoted(first[2]) != "0" || first[0] == first[1]) return first[0].empty() && first[1].empty();
        constexpr int looked_at = 32, enough = 2;
        int rows = 0;
        for (std::vector<std::string_view> row = raw_fields(below); rows < looked_at && row.size() == 3;
             row = raw_fields(below), ++rows) {
            for (const std::size_t end : {0U, 1U}) {
                if (row[end] == first[0] || row[end] == first[1]) return false;
            }
        }
        return rows >= enough;
    }

    const char* start_of_row() { return fields_.next_row() ? fields_.at() : nullptr; }

    Index item(std::string_view raw, const char* place) {
        std::string name = unquoted(raw);
        if (name.empty()) bad_file("{}: the name of an item is empty; fill it in", spot(place));
        const auto [known, is_new] = number_of_.emplace(name, static_cast<Index>(names_.size()));
        if (is_new) names_.push_back(std::move(name));
        return known->second;
    }

    void add(const std::vector<std::string_view>& row, const char* place) {
        if (row.size() != columns_)
            bad_file("{}: {} columns where {} were expected; a list of pairs has two items and their distance",
                     spot(place), row.size(), columns_);
        Pair pair{item(row[0], place), item(row[1], place), 0};
        if (!parse_entry(row[value_], fields_.point(), pair.distance))
            bad_file("{}: '{}' is not a number; correct it", spot(place), shown(row[value_]));
        if (pair.distance < 0)
            bad_file("{}: the distance of '{}' and '{}' is {}; distances are at least 0: correct it", spot(place),
                     shown(row[0]), shown(row[1]), pair.distance);
        if (pair.a == pair.b && pair.distance != 0 && !std::isnan(pair.distance))
            bad_file("{}: the distance of '{}' to itself is {}; it must be 0: remove the row", spot(place),
                     shown(row[0]), pair.distance);
        pairs_.push_back(pair);
        places_.push_back(place);
    }

    Square square() {
        constexpr float missing = std::numeric_limits<float>::quiet_NaN();
        const std::size_t n = names_.size();
        std::vector<float> values = room_for_square(n, bytes_.name());
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (k % n == 0) progress::cancellation_point();
            values[k] = k % (n + 1) == 0 ? 0 : missing;
        }
        std::size_t listed = 0;
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
            if (p % 65536 == 0) progress::cancellation_point();
            const auto [a, b, distance] = pairs_.data()[p];
            if (a == b || std::isnan(distance)) continue;
            float &there = values[static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)],
                  &back = values[static_cast<std::size_t>(b) * n + static_cast<std::size_t>(a)];
            if (!std::isnan(there) && there != distance)
                bad_file("{}: the distance of '{}' and '{}' is {}, and {} in a row before; remove one",
                         spot(places_[p]), shown(names_[static_cast<std::size_t>(a)]),
                         shown(names_[static_cast<std::size_t>(b)]), distance, there);
            listed += std::isnan(there) ? 1 : 0;
            there = back = distance;
        }
        const auto size = static_cast<Index>(n);
        Square square{Matrix(size, size, std::move(values)), std::move(names_), "pairs"};
        const std::size_t all = n * (n - 1) / 2;
        square.notes.push_back(
            {fmt::format("read as distances of pairs: {} items, {} of {} pairs missing", n, all - listed, all), ""});
        if (!title_.empty() && columns_ == 3)
            square.notes.push_back({"read with " + title_ + " as names of the columns", ""});
        if (columns_ > 3) square.notes.push_back({"read with columns " + title_, ""});
        return square;
    }

    [[nodiscard]] FileLocation spot(const char* place) const { return at_line(bytes_.name(), line_of(bytes_, place)); }

    const Bytes& bytes_;
    FieldReader fields_;
    std::unordered_map<std::string, Index> number_of_;
    std::vector<std::string> names_;
    std::size_t columns_ = 3, value_ = 2;  ///< of a row; the one with the distance
    std::string title_;                    ///< what is to be said of the first row
    GrowableBuffer<Pair> pairs_;
    std::vector<const char*> places_;
};

}  // namespace

std::optional<Square> read_pairs(const Bytes& bytes, Decimal decimal) {
    return PairsReader(bytes, dialect_of_rows(bytes, decimal)).read();
}

}  // namespace dunlin::io
