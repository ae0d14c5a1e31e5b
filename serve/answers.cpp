// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/json_depth.hpp>

#include "steering.hpp"

namespace dunlin::serve {

namespace {

using nlohmann::json;

constexpr Index neighbor_count = 10;
constexpr std::size_t most_hits = 8;
constexpr std::size_t most_asked_names = 1000, longest_asked_name = 4096;

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// Text for JSON: invalid UTF-8 is replaced.
std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string error_answer(const json& serial, const std::string& sentence) {
    return text_of({{"serial", serial}, {"error", sentence}});
}

struct Neighbor {
    Index row;
    double distance;
};

/// The nearest other points of the map, nearest first, ties by number.
std::vector<Neighbor> map_neighbors(const Map& map, Index row) {
    std::vector<Neighbor> best;
    const auto nearer = [](const Neighbor& a, const Neighbor& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
    };
    const auto y = map.view();
    for (Index other = 0; other < map.size(); ++other) {
        if (other == row) continue;
        double squared = 0;
        for (int axis = 0; axis < map.dim; ++axis) {
            const double d = static_cast<double>(y(other, axis)) - static_cast<double>(y(row, axis));
            squared += d * d;
        }
        const Neighbor neighbor{other, squared};
        if (best.size() == at(neighbor_count) && !nearer(neighbor, best.back())) continue;
        best.insert(std::upper_bound(best.begin(), best.end(), neighbor, nearer), neighbor);
        if (best.size() > at(neighbor_count)) best.pop_back();
    }
    for (Neighbor& neighbor : best) neighbor.distance = std::sqrt(neighbor.distance);
    return best;
}

/// The same in the data, exactly.
std::vector<Neighbor> data_neighbors(const Viewed& viewed, Index row) {
    const MatrixView<const float> all = viewed.points->view();
    const MatrixView<const float> query{all.data + Offset{row} * all.cols, 1, all.cols};
    const neighbors::Result found = neighbors::search(
        all, query,
        {.k = std::min(neighbor_count + 1, all.rows), .metric = viewed.metric, .method = neighbors::Method::exact});
    std::vector<Neighbor> neighbors;
    for (std::size_t e = 0; e < found.graph.targets.size() && neighbors.size() < at(neighbor_count); ++e) {
        if (found.graph.targets[e] != row)
            neighbors.push_back({found.graph.targets[e], static_cast<double>(found.graph.weights[e])});
    }
    return neighbors;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// The message before the frames of a content: its facts, and `server`, with the number of frames.
std::string hello_of(const picture::PageContent& content, json server) {
    server["frames"] = content.frames.size();
    return "{\"facts\":" + content.facts + ",\"server\":" + text_of(server) + "}";
}

std::string name_of(const std::filesystem::path& selection) {
    return selection.empty() ? "" : selection.filename().string();
}

class Point {
public:
    Point(const Viewed& viewed, const std::vector<Index>& place_of) : viewed_(viewed), place_of_(place_of) {}

    [[nodiscard]] json entry(const Neighbor& neighbor) const {
        return {{"place", place_of_[at(neighbor.row)]}, {"name", name(neighbor.row)}, {"distance", neighbor.distance}};
    }
    [[nodiscard]] std::string name(Index row) const {
        const std::vector<std::string>& names = viewed_.shown_names();
        return names.empty() ? fmt::format("point {}", row) : names[at(row)];
    }

    [[nodiscard]] json describe(Index row) const {
        json answer{{"name", name(row)}, {"row", row}, {"neighbors", json::array()}};
        const std::vector<Neighbor> near = map_neighbors(viewed_.map, row);
        for (const Neighbor& neighbor : near) answer["neighbors"].push_back(entry(neighbor));
        if (!viewed_.points) return answer;
        answer["dataNeighbors"] = json::array();
        Index kept = 0;
        for (const Neighbor& neighbor : data_neighbors(viewed_, row)) {
            const bool is_kept =
                std::any_of(near.begin(), near.end(), [&](const Neighbor& other) { return other.row == neighbor.row; });
            kept += is_kept ? 1 : 0;
            json one = entry(neighbor);
            one["kept"] = is_kept;
            answer["dataNeighbors"].push_back(one);
        }
        answer["kept"] = kept;
        return answer;
    }

private:
    const Viewed& viewed_;
    const std::vector<Index>& place_of_;
};

/// How the name or the id of a point answers a search.
enum class Hit { none, part, whole };

Hit hit_of(const std::vector<std::string>& words, Index row, const std::string& wanted) {
    if (words.empty()) return Hit::none;
    const std::string word = lower(words[at(row)]);
    return word == wanted ? Hit::whole : word.find(wanted) == std::string::npos ? Hit::none : Hit::part;
}

/// Points whose names or ids contain the text, those that are the text first; or the number of a point.
json hits_of(const Viewed& viewed, const std::vector<Index>& place_of, const std::string& text) {
    const std::string wanted = lower(text);
    std::vector<Index> whole, part;
    for (Index row = 0; row < viewed.map.size() && !wanted.empty() && whole.size() < most_hits; ++row) {
        Hit hit = std::max(hit_of(viewed.ids, row, wanted), hit_of(viewed.names, row, wanted));
        if (viewed.shown_names().empty() && std::to_string(row) == wanted) hit = Hit::whole;
        if (hit == Hit::whole) whole.push_back(row);
        if (hit == Hit::part && part.size() < most_hits) part.push_back(row);
    }
    whole.insert(whole.end(), part.begin(), part.end());
    whole.resize(std::min(whole.size(), most_hits));
    json hits = json::array();
    for (const Index row : whole)
        hits.push_back({{"place", place_of[at(row)]}, {"text", Point(viewed, place_of).name(row)}});
    return hits;
}

/// The names of the points at these places.
json names_of(const Viewed& viewed, const std::vector<Index>& place_of, const json& places) {
    const bool fit = places.is_array() && places.size() <= most_asked_names &&
                     std::all_of(places.begin(), places.end(), [&](const json& place) {
                         return place.is_number_unsigned() && place.get<std::uint64_t>() < place_of.size();
                     });
    if (!fit) throw Error(Fault::bad_input, fmt::format("places are at most {} numbers of points", most_asked_names));
    json names = json::array();
    for (const json& place : places)
        names.push_back(
            Point(viewed, place_of).name(viewed.content.rows[place.get<std::size_t>()]).substr(0, longest_asked_name));
    return names;
}

/// The Shepard diagram, or the pairs of some of its cells, or those that are placed worst.
json shepard_of(const Shepard& shepard, const json& asked, const Viewed& viewed, const std::vector<Index>& place_of) {
    if (!asked.contains("cells") && !asked.contains("worst"))
        return {{"pairs", shepard.pairs()},    {"of", shepard.points()},
                {"columns", Shepard::columns}, {"most", {shepard.most_in_data(), shepard.most_in_map()}},
                {"slope", shepard.slope()},    {"cells", shepard.counts()}};
    Shepard::Chosen chosen;
    if (asked.contains("cells")) {
        const json& cells = asked["cells"];
        const bool fit =
            cells.is_array() && cells.size() == 4 && std::all_of(cells.begin(), cells.end(), [](auto& cell) {
                return cell.is_number_unsigned() && cell.template get<std::uint64_t>() < Shepard::columns;
            });
        if (!fit)
            throw Error(Fault::bad_input, fmt::format("cells are four numbers below {}: first column and row, last "
                                                      "column and row",
                                                      Shepard::columns));
        chosen = shepard.within({cells[0].get<int>(), cells[1].get<int>(), cells[2].get<int>(), cells[3].get<int>()});
    } else {
        if (asked["worst"] != "apart" && asked["worst"] != "together")
            throw Error(Fault::bad_input, "worst is apart or together");
        chosen = shepard.worst(asked["worst"] == "apart");
    }
    json answer{{"pairs", chosen.pairs}, {"places", json::array()}, {"lines", json::array()}, {"often", json::array()}};
    for (const Index row : chosen.rows) answer["places"].push_back(place_of[at(row)]);
    for (const Index row : chosen.ends) answer["lines"].push_back(place_of[at(row)]);
    for (const auto& [row, pairs] : chosen.often)
        answer["often"].push_back(
            {{"place", place_of[at(row)]}, {"name", Point(viewed, place_of).name(row)}, {"pairs", pairs}});
    return answer;
}

/// Writes the selected points, one a line, in the order of the map. The file is replaced at once.
Offset save(const Viewed& viewed, const std::vector<std::uint8_t>& selected, const std::vector<Index>& place_of) {
    std::string text = viewed.ids.empty() ? "row\n" : "id\n";
    Offset count = 0;
    for (Index row = 0; row < viewed.map.size(); ++row) {
        const auto place = at(place_of[at(row)]);
        if ((selected[place / 8] >> (place % 8) & 1) == 0) continue;
        ++count;
        const std::string name = viewed.ids.empty() ? std::to_string(row) : viewed.ids[at(row)];
        if (name.find_first_of(",\"\n\r") == std::string::npos) {
            text += name + '\n';
            continue;
        }
        text += '"';
        for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
        text += "\"\n";
    }
    io::write_text(viewed.selection, text);
    return count;
}

}  // namespace

Answers::Answers(const Viewed& viewed, std::mutex& others, std::uint32_t content, bool moves, const LiveMap& live)
    : viewed_(viewed),
      others_(others),
      live_(live),
      content_(content),
      moves_(moves),
      place_of_(viewed.content.rows.size()),
      selected_((viewed.content.rows.size() + 7) / 8) {
    for (std::size_t place = 0; place < place_of_.size(); ++place)
        place_of_[at(viewed.content.rows[place])] = static_cast<Index>(place);
}

std::string Answers::hello() const {
    return hello_of(viewed_.content, {{"content", content_},
                                      {"moves", moves_},
                                      {"neighbors", viewed_.points.has_value()},
                                      {"shepard", !moves_ && Shepard::is_known(viewed_)},
                                      {"names", !viewed_.shown_names().empty()},
                                      {"selection", name_of(viewed_.selection)}});
}

std::string Answers::hello_of_sample(const Viewed& sample) {
    return hello_of(sample.content, {{"content", 0},
                                     {"moves", false},
                                     {"neighbors", false},
                                     {"shepard", false},
                                     {"selection", name_of(sample.selection)}});
}

namespace {

json parsed(std::string_view message) {
    return nests_too_deeply(message) ? json(json::value_t::discarded) : json::parse(message, nullptr, false);
}

}  // namespace

std::string Answers::too_early(std::string_view message) {
    const json asked = parsed(message);
    if (asked.is_object() && asked.contains("drawn")) return "";
    const bool has_serial = asked.is_object() && asked.contains("serial") && asked["serial"].is_number_unsigned();
    return error_answer(has_serial ? asked["serial"] : json(), "the points are not all here yet; ask again");
}

std::string Answers::answer(std::string_view message) {
    const json asked = parsed(message);
    if (asked.is_object() && asked.contains("drawn") && asked["drawn"].is_number_unsigned()) {
        drawn_ = std::max(drawn_, static_cast<std::uint32_t>(asked["drawn"].get<std::uint64_t>()));
        return "";
    }
    if (!asked.is_object() || !asked.contains("serial") || !asked["serial"].is_number_unsigned())
        return error_answer(nullptr, "a message is an object with a serial number");
    const json& serial = asked["serial"];
    const std::string what = asked.value("ask", json()).is_string() ? asked["ask"].get<std::string>() : "";
    const bool names_places = what != "steer" || asked.contains("places") || asked.contains("selected");
    if (names_places && asked.contains("content") && asked["content"] != content_)
        return error_answer(serial, "the map has changed since; ask again");
    try {
        if (what == "steer") {
            if (live_.steering == nullptr) return error_answer(serial, "there is no run to steer");
            steer(*live_.steering, asked, viewed_.content.rows, selected_);
            live_.on_steered();
            return text_of({{"serial", serial}, {"done", true}});
        }
        const std::scoped_lock lock(others_);
        if (what == "point") {
            const json place = asked.value("place", json());
            if (!place.is_number_unsigned() || place.get<std::uint64_t>() >= place_of_.size())
                return error_answer(serial, "there is no such place");
            if (has_moved())
                return error_answer(serial, "the map has moved; its neighbors are known when the run ends, or saves");
            json answer = Point(viewed_, place_of_).describe(viewed_.content.rows[place.get<std::size_t>()]);
            answer["serial"] = serial;
            return text_of(answer);
        }
        if (what == "shepard") {
            if (has_moved())
                return error_answer(serial, "the map has moved; its distances are known when the run ends, or saves");
            if (!Shepard::is_known(viewed_))
                return error_answer(serial, "the distances in the data are not known; give the points by --of");
            if (!shepard_) shepard_.emplace(viewed_);
            json answer = shepard_of(*shepard_, asked, viewed_, place_of_);
            answer["serial"] = serial;
            return text_of(answer);
        }
        if (what == "search") {
            const json text = asked.value("text", json());
            if (!text.is_string()) return error_answer(serial, "a text is wanted");
            return text_of({{"serial", serial}, {"hits", hits_of(viewed_, place_of_, text.get<std::string>())}});
        }
        if (what == "names") {
            const json places = asked.value("places", json());
            return text_of({{"serial", serial}, {"names", names_of(viewed_, place_of_, places)}});
        }
        if (what == "save") {
            if (viewed_.selection.empty()) return error_answer(serial, "no --select FILE was given");
            return text_of({{"serial", serial}, {"saved", save(viewed_, selected_, place_of_)}});
        }
    } catch (const std::exception& error) {
        return error_answer(serial, error.what());
    }
    return error_answer(serial, "a page asks for a point, names, a search, a Shepard diagram, to save or to steer");
}

std::string Answers::select(std::string_view part) {
    std::uint32_t first = 0;
    if (part.size() < sizeof first) return error_answer(nullptr, "a part of a selection has its place and its bits");
    std::memcpy(&first, part.data(), sizeof first);
    part.remove_prefix(sizeof first);
    if (first > selected_.size() || part.size() > selected_.size() - first)
        return error_answer(nullptr, "a part of a selection is longer than the map");
    std::memcpy(selected_.data() + first, part.data(), part.size());
    return "";
}

}  // namespace dunlin::serve
