// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <unordered_map>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/growable_buffer.hpp"
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
        constexpr int looked_at = 32;
        for (int r = 0; r < looked_at; ++r) {
            const std::size_t cells = raw_fields(ahead).size();
            if (cells != 3 && (cells > 0 || r == 0)) return false;  // a ragged table
        }
        ahead = fields_;
        std::vector<std::string_view> row = raw_fields(ahead);
        if (is_distance(row[2])) {
            if (!names_columns(row, ahead)) return true;
            title_ = fmt::format("'{}', '{}' and '{}'", shown(row[0]), shown(row[1]), shown(row[2]));
        }
        fields_ = ahead;
        row = raw_fields(ahead);
        return row.size() == 3 && is_distance(row[2]);
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
        if (row.size() != 3)
            bad_file("{}: {} columns; a list of pairs has two items and their distance", spot(place), row.size());
        Pair pair{item(row[0], place), item(row[1], place), 0};
        if (!parse_entry(row[2], fields_.point(), pair.distance))
            bad_file("{}: '{}' is not a number; correct it", spot(place), shown(row[2]));
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
        if (!title_.empty()) square.notes.push_back({"read with " + title_ + " as names of the columns", ""});
        return square;
    }

    [[nodiscard]] FileLocation spot(const char* place) const { return at_line(bytes_.name(), line_of(bytes_, place)); }

    const Bytes& bytes_;
    FieldReader fields_;
    std::unordered_map<std::string, Index> number_of_;
    std::vector<std::string> names_;
    std::string title_;  ///< a first row that is told by what it lacks
    GrowableBuffer<Pair> pairs_;
    std::vector<const char*> places_;
};

}  // namespace

std::optional<Square> read_pairs(const Bytes& bytes, Decimal decimal) {
    return PairsReader(bytes, dialect_of_rows(bytes, decimal)).read();
}

}  // namespace dunlin::io
