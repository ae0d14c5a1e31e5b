// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/markup.hpp"
#include "math/rng.hpp"
#include "picture/formats.hpp"
#include "picture/html_page.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

using nlohmann::json;

std::string code(Color color) { return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b); }

std::vector<std::string> cleaned(const std::vector<std::string>& texts) {
    std::vector<std::string> clean(texts.size());
    std::transform(texts.begin(), texts.end(), clean.begin(), io::clean_text);
    return clean;
}

/// For every label, the index of its group in the legend.
std::vector<int> group_of_label(const Drawing& drawing) {
    std::vector<int> group(drawing.labels.names.size(), 0);
    for (std::size_t i = 0; i < drawing.labels.of.size(); ++i) {
        group[static_cast<std::size_t>(drawing.labels.of[i])] = drawing.groups.of[i];
    }
    return group;
}

/// Positions in the page: those of the map if it has 2 or 3 dimensions, else those of the flat drawing.
struct Positions {
    int width;
    std::vector<float> values;
};

Positions positions_of(const Drawing& drawing) {
    if (drawing.map.dim == 2 || drawing.map.dim == 3) return {drawing.map.dim, drawing.map.coordinates};
    Positions positions{2, {}};
    for (std::size_t i = 0; i < drawing.flat.x.size(); ++i) {
        positions.values.push_back(drawing.flat.x[i]);
        positions.values.push_back(drawing.flat.y[i]);
    }
    return positions;
}

/// Groups are degrees or steps of a scale, not labels.
bool has_ranks(const Drawing& drawing) {
    return drawing.options.color == ColorBy::degree || drawing.groups.scale.has_value();
}

/// The continuous legend: its name, colors from low to high, and ticks with their places from 0 to 1.
json scale_of(const Groups& groups) {
    if (!groups.scale) return nullptr;
    json scale{{"name", groups.scale->name}, {"colors", json::array()}, {"ticks", json::array()}};
    for (const Color color : value_ramp) scale["colors"].push_back(code(color));
    for (const Tick& tick : ticks_of(groups.scale->low, groups.scale->high, 5))
        scale["ticks"].push_back({{"text", tick.text}, {"place", groups.scale->place(tick.value)}});
    if (groups.list.back().count > 0) scale["none"] = code(groups.list.back().color);
    return scale;
}

json facts_of(const Drawing& drawing, int width) {
    json facts;
    facts["title"] = io::clean_text(drawing.options.title);
    facts["points"] = drawing.map.size();
    facts["width"] = width;
    facts["ids"] = cleaned(drawing.ids);
    const bool ranks = has_ranks(drawing);
    facts["names"] = ranks ? std::vector<std::string>{} : cleaned(drawing.labels.names);
    facts["groupOfLabel"] = ranks ? std::vector<int>{} : group_of_label(drawing);
    facts["groups"] = json::array();
    for (const Group& group : drawing.groups.list) {
        facts["groups"].push_back({{"name", group.name}, {"count", group.count}, {"color", code(group.color)}});
    }
    for (const Color color : density_ramp) facts["ramp"].push_back(code(color));
    facts["lines"] = drawing.edges();
    facts["gray"] = code(edge_gray);
    facts["scale"] = scale_of(drawing.groups);
    if (width == 3) {
        facts["center"] = drawing.flat.mean;
        facts["turn"] = drawing.flat.axes;
    } else {
        facts["center"] = {0, 0, 0};
        facts["turn"] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    }
    return facts;
}

/// Ends of the edges in sequence; of too many edges, those with the smallest hashes.
std::vector<Index> ends_of(const Drawing& drawing) {
    constexpr Offset most = 2000000;
    const double share = static_cast<double>(most) / static_cast<double>(std::max<Offset>(drawing.edges(), most));
    std::vector<Index> ends;
    for (Index v = 0; v < drawing.graph.size(); ++v) {
        const auto at = static_cast<std::size_t>(v);
        for (Offset e = drawing.graph.offsets[at]; e < drawing.graph.offsets[at + 1]; ++e) {
            const Index u = drawing.graph.targets[static_cast<std::size_t>(e)];
            const bool drawn = share >= 1 || math::random_uniform(1, static_cast<std::uint64_t>(e)) < share;
            if (u > v && drawn) ends.insert(ends.end(), {v, u});
        }
    }
    return ends;
}

template <class T>
std::string base64_of(const std::vector<T>& values) {
    return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

/// JSON for a script element: escapes text that would end the element.
std::string embedded(const json& facts) {
    std::string safe;
    for (const char c : facts.dump()) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

std::string element(std::string_view id, std::string_view type, std::string_view content) {
    return fmt::format("<script id=\"{}\" type=\"{}\">{}</script>\n", id, type, content);
}

}  // namespace

std::string html_of(const Drawing& drawing) {
    const Positions positions = positions_of(drawing);
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += "<title>" + io::escaped(io::clean_text(drawing.options.title)) + "</title>\n<style>";
    html.append(page_style) += "</style>\n</head>\n<body>";
    html.append(page_body);
    html += element("facts", "application/json", embedded(facts_of(drawing, positions.width)));
    html += element("positions", "text/plain", base64_of(positions.values));
    const bool ranks = drawing.groups.labeled() && has_ranks(drawing);
    html += element("labels", "text/plain", ranks ? base64_of(drawing.groups.of) : base64_of(drawing.labels.of));
    html += element("edges", "text/plain", base64_of(ends_of(drawing)));
    html += "<script>\n";
    html.append(page_script) += "</script>\n</body>\n</html>\n";
    return html;
}

}  // namespace dunlin::picture
