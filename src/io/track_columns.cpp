// SPDX-License-Identifier: Apache-2.0
#include "io/track_columns.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "io/date_parts.hpp"
#include "io/fail.hpp"
#include "io/number_like.hpp"
#include "io/times.hpp"

namespace dunlin::io {

namespace {

using Columns = std::vector<std::size_t>;

/// Usual names of the column that tells tracks apart, the most certain first.
constexpr std::array track_names = {"trackid",
                                    "track",
                                    "tripid",
                                    "trip",
                                    "trajectoryid",
                                    "trajectory",
                                    "trajid",
                                    "traj",
                                    "seriesid",
                                    "series",
                                    "individuallocalidentifier",
                                    "id",
                                    "individualid",
                                    "individual",
                                    "animalid",
                                    "animal",
                                    "taglocalidentifier",
                                    "tagid",
                                    "mmsi",
                                    "vesselid",
                                    "icao24",
                                    "flightid",
                                    "deviceid",
                                    "vehicleid",
                                    "taxiid",
                                    "userid",
                                    "personid",
                                    "particleid",
                                    "particle"};
constexpr std::array time_names = {"timestamp",    "datetime",        "time",        "t",
                                   "date",         "timestamputc",    "datetimeutc", "utcdatetime",
                                   "basedatetime", "timeutc",         "utctime",     "utc",
                                   "gmt",          "localtime",       "gpstime",     "fixtime",
                                   "recordedat",   "acquisitiontime", "ts",          "epoch",
                                   "unixtime",     "unixtimestamp",   "timestampms", "timems",
                                   "times",        "timesec",         "timeseconds", "clock",
                                   "clocktime",    "timeofday",       "day",         "utcdate",
                                   "dateutc",      "gpsdate",         "localdate",   "frame"};
constexpr std::array<std::string_view, 6> calendar_names = {"year", "month", "day", "hour", "minute", "second"};
constexpr std::array latitude_names = {"lat",    "latitude",    "locationlat",     "locationlatitude",
                                       "gpslat", "gpslatitude", "decimallatitude", "latdeg",
                                       "latdd",  "positionlat"};
constexpr std::array longitude_names = {"lon",
                                        "lng",
                                        "long",
                                        "longitude",
                                        "locationlong",
                                        "locationlon",
                                        "locationlng",
                                        "locationlongitude",
                                        "gpslon",
                                        "gpslong",
                                        "gpslng",
                                        "gpslongitude",
                                        "decimallongitude",
                                        "londeg",
                                        "londd",
                                        "longdeg",
                                        "longdd",
                                        "positionlong",
                                        "positionlon"};
/// Numbers of rows, which are no coordinates.
constexpr std::array row_names = {"", "unnamed0", "index", "rowid", "rownumber", "eventid"};

template <class Names>
bool among(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool contains(const Columns& columns, std::size_t column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
}

class ColumnFinder {
public:
    ColumnFinder(const TableSchema& schema, const std::string& file, const ReadOptions& options)
        : schema_(schema), file_(file), options_(options) {
        for (const std::string& name : schema.names) plain_.push_back(plain_name(name));
    }

    TrackColumns find() && {
        find_id();
        found_.label = given(options_.labels, "labels");
        const std::size_t visible = first_called(std::array{"visible"});
        if (!called(std::array{"eventid", "locationlat"}).empty()) found_.visible = visible;
        find_times();
        find_coordinates();
        if (found_.id == no_column && !found_.times.empty()) {
            found_.notes.push_back(
                {"read with every row as an item, as no column is called id, track, trip or the like", "ids"});
        }
        note_left_out();
        return std::move(found_);
    }

private:
    /// The columns with one of these names, in the order of the names.
    template <class Names>
    [[nodiscard]] Columns called(const Names& names) const {
        Columns columns;
        for (const std::string_view name : names) {
            for (std::size_t c = 0; c < plain_.size(); ++c) {
                if (plain_[c] == name && schema_.roles[c] != ColumnRole::empty) columns.push_back(c);
            }
        }
        return columns;
    }

    template <class Names>
    [[nodiscard]] std::size_t first_called(const Names& names) const {
        const Columns columns = called(names);
        return columns.empty() ? no_column : columns.front();
    }

    [[nodiscard]] std::size_t given(const std::string& name, const char* option) const {
        if (name.empty()) return no_column;
        const std::size_t column = find_column(schema_, name, file_);
        if (column == schema_.roles.size())
            bad_option(option, "'{}' is no column of '{}'; give a column's name or number", name, file_);
        return column;
    }

    /// Whether a value stands in two of the rows looked at.
    [[nodiscard]] bool repeats(std::size_t column) const {
        std::set<std::string_view> seen;
        return std::any_of(schema_.sample.begin(), schema_.sample.end(),
                           [&](const auto& row) { return !seen.insert(row[column]).second; });
    }

    void find_id() {
        found_.id = given(options_.ids, "ids");
        if (found_.id != no_column) return;
        id_like_ = called(track_names);
        if (id_like_.empty()) return;
        // A number of each row is no track where another column could be it
        const auto repeated = std::find_if(id_like_.begin(), id_like_.end(), [&](auto c) { return repeats(c); });
        found_.id = repeated == id_like_.end() ? id_like_.front() : *repeated;
        if (id_like_.size() > 1)
            found_.notes.push_back({fmt::format("read with the tracks of column {}", schema_.title(found_.id)), "ids"});
    }

    /// What the rows looked at have in a column.
    [[nodiscard]] TimeText::Form form_of(std::size_t column) const {
        using Form = TimeText::Form;
        Form form = Form::none;
        for (const auto& row : schema_.sample) {
            if (is_missing(row[column])) continue;
            const TimeText time = parse_time(row[column]);
            // Midnight is a date: spreadsheets write dates as 2024-05-31 00:00:00
            const bool is_midnight = time.form == Form::moment && time.instants[0].seconds % seconds_per_day == 0 &&
                                     time.instants[0].fraction == 0 && !time.has_offset;
            const Form now = is_midnight ? Form::date : time.form;
            if (now == Form::none) return now;
            if (form == Form::none || now == Form::moment) form = now;
        }
        return form;
    }

    void find_times() {
        using Form = TimeText::Form;
        Columns columns = called(time_names);
        std::erase_if(columns, [&](std::size_t c) { return c == found_.id || c == found_.label; });
        const Columns calendar = called(calendar_names);
        const std::size_t year = first_called(std::array{"year"});
        if (columns.empty() && year == no_column) return take_time_by_content();
        time_like_ = columns;
        time_like_.insert(time_like_.end(), calendar.begin(), calendar.end());

        // A moment in one column; else a date, and the time of its day
        const auto with = [&](auto... forms) {
            const auto place = std::find_if(columns.begin(), columns.end(), [&](std::size_t c) {
                const Form form = form_of(c);
                return ((form == forms) || ...);
            });
            return place == columns.end() ? no_column : *place;
        };
        const std::size_t moment = with(Form::moment), date = with(Form::date, Form::digits), clock = with(Form::clock),
                          number = with(Form::number);
        if (moment != no_column) {
            found_.times = {moment};
        } else if (date != no_column) {
            found_.times = {date};
            if (clock != no_column || number != no_column)
                found_.times.push_back(clock != no_column ? clock : number);
            else
                add_calendar(calendar, "day");
        } else if (year != no_column) {
            add_calendar(calendar, "");
            if (clock != no_column) found_.times.push_back(clock);
        } else {
            found_.times = {columns.front()};
        }
    }

    /// Adds columns called year, month, .. after the unit `from`, each once.
    void add_calendar(const Columns& calendar, std::string_view from) {
        bool is_after = from.empty();
        for (const std::string_view unit : calendar_names) {
            const auto place =
                std::find_if(calendar.begin(), calendar.end(), [&](std::size_t c) { return plain_[c] == unit; });
            if (is_after && place != calendar.end()) found_.times.push_back(*place);
            is_after = is_after || unit == from;
        }
    }

    /// A column of words that are all times.
    void take_time_by_content() {
        using Form = TimeText::Form;
        for (std::size_t c = 0; c < plain_.size(); ++c) {
            if (schema_.roles[c] != ColumnRole::word || c == found_.id || c == found_.label) continue;
            const Form form = form_of(c);
            if (form == Form::none || form == Form::number || form == Form::digits) continue;
            found_.times = {c};
            found_.notes.push_back({fmt::format("read with column {} as the time", schema_.title(c)), ""});
            return;
        }
    }

    void find_coordinates() {
        const std::size_t latitude = first_called(latitude_names), longitude = first_called(longitude_names);
        found_.geographic = latitude != no_column && longitude != no_column;
        if (found_.geographic) {
            found_.coordinates = {latitude, longitude};
            return;
        }
        for (std::size_t c = 0; c < schema_.roles.size(); ++c) {
            const bool taken = c == found_.id || c == found_.label || contains(id_like_, c) ||
                               contains(time_like_, c) || contains(found_.times, c) || among(row_names, plain_[c]);
            if (!taken && schema_.roles[c] == ColumnRole::number) found_.coordinates.push_back(c);
            if (!taken && schema_.roles[c] == ColumnRole::word) require_words(schema_, c, file_);
        }
        if (found_.coordinates.empty())
            bad_file("'{}' has no column of numbers beside id and time; name two of them x and y", file_);
        note_coordinates(latitude != no_column || longitude != no_column);
    }

    /// Says what the coordinates are where a user may not expect it.
    void note_coordinates(bool has_half_a_place) {
        std::string names;
        for (const std::size_t c : found_.coordinates) names += plain_[c] + ' ';
        const bool is_plain = found_.coordinates.size() < 3 || names == "x y z ";
        if (is_plain && !has_half_a_place) return;
        found_.notes.push_back(
            {fmt::format("read with the coordinates {}", listed_columns(schema_, found_.coordinates)), ""});
    }

    void note_left_out() {
        Columns left;
        for (std::size_t c = 0; c < schema_.roles.size(); ++c) {
            const bool used = c == found_.id || c == found_.label || c == found_.visible || contains(found_.times, c) ||
                              contains(found_.coordinates, c);
            if (!used && schema_.roles[c] != ColumnRole::empty) left.push_back(c);
        }
        if (left.empty()) return;
        found_.notes.push_back(
            {fmt::format("read without column{} {}", left.size() == 1 ? "" : "s", listed_columns(schema_, left)), ""});
    }

    const TableSchema& schema_;
    const std::string& file_;
    const ReadOptions& options_;
    std::vector<std::string> plain_;  ///< names of the columns
    Columns id_like_, time_like_;     ///< columns that could be the id or the time, and are no coordinates
    TrackColumns found_;
};

}  // namespace

std::string plain_name(std::string_view name) {
    std::string out;
    for (const char c : lower(name.substr(0, name.find_first_of("([")))) {
        const bool is_letter = (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) > 127;
        if (is_letter || (c >= '0' && c <= '9')) out += c;
    }
    return out;
}

std::string listed_columns(const TableSchema& schema, const std::vector<std::size_t>& columns) {
    constexpr std::size_t most = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(columns.size(), most); ++i) {
        const bool is_last = i > 0 && i + 1 == columns.size();
        list += i == 0 ? "" : is_last ? " and " : ", ";
        list += schema.title(columns[i]);
    }
    if (columns.size() > most) list += fmt::format(" and {} more", columns.size() - most);
    return list;
}

TrackColumns find_track_columns(const TableSchema& schema, const std::string& file, const ReadOptions& options) {
    if (schema.names.empty()) {
        bad_file(
            "'{}' has no header; a table of tracks needs names of its columns: id, time, x, y or id, time, lat, lon",
            file);
    }
    return ColumnFinder(schema, file, options).find();
}

}  // namespace dunlin::io
