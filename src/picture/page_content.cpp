// SPDX-License-Identifier: Apache-2.0
#include "picture/page_content.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include <dunlin/labels.hpp>

#include "io/markup.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "numerics/sort.hpp"
#include "picture/cell_density.hpp"
#include "picture/frames.hpp"
#include "picture/page_mesh.hpp"
#include "picture/page_relief.hpp"
#include "picture/peaks.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

namespace {

using nlohmann::json;

/// Positions in the page: those of the map if it has 2 or 3 dimensions, else those of the flat drawing.
struct PagePositions {
    int dim;
    std::vector<float> copied;
    std::span<const float> values;
};

PagePositions positions_of(const Drawing& drawing) {
    if (drawing.map.dim == 2 || drawing.map.dim == 3) return {drawing.map.dim, {}, drawing.map.coordinates};
    PagePositions positions{2, {}, {}};
    for (std::size_t i = 0; i < drawing.flat.x.size(); ++i)
        positions.copied.insert(positions.copied.end(), {drawing.flat.x[i], drawing.flat.y[i]});
    positions.values = positions.copied;
    return positions;
}

/// Groups are degrees or steps of a scale, not labels.
bool has_ranks(const Drawing& drawing) {
    return drawing.options.color == ColorBy::degree || drawing.groups.scale.has_value();
}

/// The number of a point's label in the page; that after the last label means none.
Index label_number(const Labels& labels, Index label) {
    return label == no_label ? static_cast<Index>(labels.names.size()) : label;
}

/// For every label, the index of its group in the legend; then that of the points without one, if there are some.
std::vector<int> group_of_label(const Drawing& drawing) {
    const Labels& labels = drawing.labels;
    std::vector<int> group(labels.names.size() + (unlabeled(labels) > 0 ? 1 : 0), 0);
    for (std::size_t i = 0; i < labels.of.size(); ++i)
        group[at(label_number(labels, labels.of[i]))] = drawing.groups.of[i];
    return group;
}

std::vector<std::string> cleaned(const std::vector<std::string>& texts) {
    std::vector<std::string> clean(texts.size());
    std::transform(texts.begin(), texts.end(), clean.begin(), io::clean_text);
    return clean;
}

json scale_of(const Groups& groups) { return groups.scale ? facts_of(*groups.scale, groups.none().count > 0) : json(); }

/// The frames of a film one after another, as steps of the scale that spans them all.
Groups steps_of(const ColorFilm& film, const Options& options) {
    std::vector<double> values;
    for (const std::vector<double>& frame : film.frames) values.insert(values.end(), frame.begin(), frame.end());
    return groups_by_value(values, film.name, static_cast<Index>(std::ssize(values)), options);
}

json facts_of(const ColorFilm& film, const Groups& steps) {
    json facts{{"captions", cleaned(film.captions)}, {"scale", scale_of(steps)}, {"names", json::array()}};
    for (const Group& step : steps.list) facts["names"].push_back(step.name);
    return facts;
}

/// Ends of the edges as places, by the lower one; of too many edges, those with the smallest hashes.
std::vector<Ends> ends_of(device::Cpu& cpu, const Drawing& drawing, const LatticePoints& points) {
    constexpr Offset most = 2000000;
    const Graph& graph = drawing.graph;
    if (graph.edges() == 0) return {};
    std::vector<std::uint32_t> place(points.rows.size());
    for (std::size_t p = 0; p < place.size(); ++p) place[at(points.rows[p])] = static_cast<std::uint32_t>(p);
    const double share = static_cast<double>(most) / static_cast<double>(std::max<Offset>(drawing.edges(), most));
    std::vector<Ends> ends;
    for (Index v = 0; v < graph.size(); ++v) {
        if (v % 65536 == 0) progress::cancellation_point();
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
            const Index u = graph.targets[at(e)];
            const bool drawn = share >= 1 || math::random_uniform(1, static_cast<std::uint64_t>(e)) < share;
            if (u > v && drawn)
                ends.push_back({std::min(place[at(v)], place[at(u)]), std::max(place[at(v)], place[at(u)])});
        }
    }
    std::vector<numerics::Keyed> keyed(ends.size());
    for (std::size_t e = 0; e < ends.size(); ++e) keyed[e] = {ends[e].low, static_cast<Index>(e)};
    numerics::RadixSort().sort(cpu, keyed, 32);
    std::vector<Ends> sorted(ends.size());
    for (std::size_t e = 0; e < ends.size(); ++e) sorted[e] = ends[at(keyed[e].item)];
    return sorted;
}

/// How the page names points: what the names are, whether they are shown at first, and places of those that go first.
json items_of(const Drawing& drawing, const LatticePoints& points) {
    const Options& options = drawing.options;
    json items{{"column", options.item_names.empty() ? "id" : "name"},
               {"shown", options.names != "none"},
               {"byDegree", options.names_by != NamesBy::given},
               {"first", json::array()}};
    std::unordered_map<Index, std::size_t> place;
    for (const Index point : drawing.first) place[point] = 0;
    for (std::size_t p = 0; !place.empty() && p < points.rows.size(); ++p) {
        if (const auto found = place.find(points.rows[p]); found != place.end()) found->second = p;
    }
    for (const Index point : drawing.first) items["first"].push_back(place[point]);
    return items;
}

json facts_of(device::Cpu& cpu, const Drawing& drawing, const PagePositions& positions, const LatticePoints& points,
              const std::vector<Ends>& ends) {
    const bool ranks = has_ranks(drawing);
    const Drawing& whole = drawing.sample == nullptr ? drawing : drawing.sample->whole;
    const FlatMap& flat = drawing.flat;
    const Options& options = drawing.options;
    json facts;
    facts["title"] = title_of(options);
    if (options.dark) facts["dark"] = true;
    facts["points"] = drawing.map.size();
    if (drawing.sample != nullptr) facts["of"] = whole.map.size();
    facts["dim"] = positions.dim;
    facts["lowBits"] = points.low_bits;
    facts["names"] = ranks ? std::vector<std::string>{} : cleaned(drawing.labels.names);
    facts["groupOfLabel"] = ranks ? std::vector<int>{} : group_of_label(whole);
    facts["groups"] = json::array();
    for (const Group& group : drawing.groups.list)
        facts["groups"].push_back({{"name", group.name}, {"count", group.count}, {"color", code(group.color)}});
    for (const Color color : density_ramp) facts["ramp"].push_back(code(color));
    facts["lines"] = whole.edges();
    facts["drawnLines"] = ends.size();
    facts["gray"] = code(edge_gray);
    facts["scale"] = scale_of(drawing.groups);
    const bool space = positions.dim == 3;
    facts["center"] = space ? flat.mean : std::vector<double>{0, 0, 0};
    facts["turn"] = space ? flat.axes : std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1};
    facts["bounds"] = {flat.left, flat.bottom, flat.right, flat.top};
    const float length = std::max(flat.right - flat.left, flat.top - flat.bottom);
    const CellDensity density = density_of_points(
        flat, static_cast<float>(drawing.viewport.scale * static_cast<double>(length)), drawing.style.diameter);
    facts["density"] = {{"dense", density.dense},
                        {"around", density.around},
                        {"middle", density.middle},
                        {"edges", dense_edges(flat, ends, points.rows)}};
    facts["style"] = {{"pointSize", options.point_size},
                      {"alpha", options.alpha},
                      {"edgeWidth", options.edge_width},
                      {"edgeAlpha", options.edge_alpha}};
    facts["items"] = items_of(drawing, points);
    facts["peaks"] = json::array();
    if (ranks || !options.label_names) return facts;
    const std::vector<int> group = facts["groupOfLabel"];
    const std::optional<std::size_t> unnamed = drawing.groups.below;
    for (const LabelPeak& peak : peaks_of(cpu, points, positions.values, drawing.labels)) {
        if (unnamed && group[at(peak.label)] == static_cast<int>(*unnamed)) continue;
        json one{{"label", peak.label}, {"place", peak.place}, {"prominence", peak.prominence}};
        const Group& of = whole.groups.list[at(group[at(peak.label)])];
        const bool is_small = static_cast<double>(of.count) < least_named(whole.map.size());
        if (options.color == ColorBy::community || of.color == other_color || is_small)
            one["span"] = std::max(peak.span, static_cast<double>(length) / 2048);  // of one point, too, at last
        facts["peaks"].push_back(one);
    }
    return facts;
}

/// A frame to be made.
struct Planned {
    FrameHeader header;
    const LatticePoints* lattice;
    std::function<std::string()> payload;
};

/// Adds frames of n items in equal parts; payload(first, last) is the content of one.
template <class Payload>
void plan(std::vector<Planned>& planned, const LatticePoints& lattice, FrameKind kind, int width, Offset n,
          const Payload& payload) {
    for (Offset first = 0; first < n; first += items_per_frame) {
        const Offset last = std::min(n, first + items_per_frame);
        planned.push_back({{kind, last == n, false, static_cast<std::uint8_t>(width), static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(last - first)},
                           &lattice,
                           [payload, first, last] { return payload(first, last); }});
    }
}

/// Adds frames of whole numbers of `bytes` bytes.
template <class T>
void plan_numbers(std::vector<Planned>& planned, const LatticePoints& lattice, FrameKind kind, int bytes,
                  std::span<const T> numbers) {
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    plan(planned, lattice, kind, bytes, std::ssize(numbers), [numbers, bytes](Offset first, Offset last) {
        return planes_payload({reinterpret_cast<const std::uint32_t*>(numbers.data()) + first, at(last - first)},
                              bytes);
    });
}

/// Ids in the order of the places, one a line, in frames that end at the largest payload.
void plan_ids(std::vector<Planned>& planned, const std::vector<std::string>& ids, const LatticePoints& points) {
    auto text = std::make_shared<std::string>();
    std::uint32_t first = 0;
    const auto end = [&](std::size_t p) {
        planned.push_back({{FrameKind::ids, p == ids.size(), false, 0, first, static_cast<std::uint32_t>(p) - first},
                           &points,
                           [text] { return *text; }});
        text = std::make_shared<std::string>();
        first = static_cast<std::uint32_t>(p);
    };
    for (std::size_t p = 0; p < ids.size(); ++p) {
        if (p % 65536 == 0) progress::cancellation_point();
        constexpr std::size_t longest = 4096;
        const std::string id = io::clean_text(std::string_view(ids[at(points.rows[p])]).substr(0, longest));
        if (text->size() + id.size() + 1 > max_payload) end(p);
        *text += id;
        *text += '\n';
    }
    if (!ids.empty()) end(ids.size());
}

template <class T>
std::vector<T> some_of(const std::vector<T>& all, const std::vector<Index>& rows, int each = 1) {
    std::vector<T> some;
    if (all.empty()) return some;
    some.reserve(rows.size() * at(each));
    for (const Index row : rows) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(row) * each;
        some.insert(some.end(), first, first + each);
    }
    return some;
}

/// Content of a page with a sample: one of every `extras.one_in` points.
PageContent sample_content(device::Cpu& cpu, const Drawing& whole, bool embedded, PageExtras extras, const Run& run) {
    const Sample sample{whole, random_rows(whole.map.size(), extras.one_in)};
    extras.one_in = 1;
    const std::vector<Index>& rows = sample.rows;
    const Graph none;
    const Map map{whole.map.dim, some_of(whole.map.coordinates, rows, whole.map.dim)};
    const Labels labels{some_of(whole.labels.of, rows), whole.labels.names};
    const std::vector<std::string> names = some_of(whole.names, rows);
    const FlatMap& all = whole.flat;
    FlatMap flat{some_of(all.x, rows),
                 some_of(all.y, rows),
                 all.mean,
                 all.axes,
                 some_of(all.nearness, rows),
                 all.left,
                 all.right,
                 all.bottom,
                 all.top};
    Groups groups{whole.groups.list, some_of(whole.groups.of, rows), whole.groups.scale};
    const Style style = style_of(whole.options, whole.page, map.size());
    return page_content(cpu,
                        {none, map, labels, names, whole.options, std::move(groups), whole.page, std::move(flat), style,
                         whole.edge_style, whole.viewport, nullptr, &sample},
                        embedded, extras, run);
}

}  // namespace

namespace {

json ticks_from(const ColorScale& scale) {
    json ticks = json::array();
    for (const Tick& tick : scale.ticks(5)) ticks.push_back({{"text", tick.text}, {"place", scale.place(tick.value)}});
    return ticks;
}

}  // namespace

json ticks_from(double low, double high) { return ticks_from(ColorScale{"", low, high}); }

json facts_of(const ColorScale& scale, bool has_none) {
    json facts{{"name", scale.name}, {"colors", json::array()}, {"ticks", ticks_from(scale)}};
    for (const Color color : scale.ramp) facts["colors"].push_back(code(color));
    if (has_none) facts["none"] = code(other_color);
    return facts;
}

std::vector<Index> random_rows(Index n, Index one_in) {
    one_in = std::min(one_in, std::max(n, 1));  // of fewer points, one
    std::vector<Index> rows;
    for (Offset first = 0; first < n; first += one_in) {
        const Offset row = first + static_cast<Offset>(math::random_below(static_cast<std::uint64_t>(one_in), 2,
                                                                          static_cast<std::uint64_t>(first)));
        if (row < n) rows.push_back(static_cast<Index>(row));
    }
    return rows;
}

PageContent page_content(device::Cpu& cpu, const Drawing& drawing, bool embedded, const PageExtras& extras,
                         const Run& run) {
    if (extras.one_in > 1) return sample_content(cpu, drawing, embedded, extras, run);
    constexpr Offset most_numbered = 2000000, few_points = 300000;  // WebGlPainter.few
    const PagePositions positions = positions_of(drawing);
    LatticePoints points = lattice_points(cpu, positions.values, positions.dim);
    const std::vector<Ends> ends = ends_of(cpu, drawing, points);
    const PageRelief relief =
        extras.landscape == nullptr ? PageRelief() : page_relief(cpu, drawing.map, *extras.landscape, run);
    const PageMesh mesh = extras.hulls == nullptr ? PageMesh() : page_mesh(*extras.hulls, drawing.labels);
    json facts = facts_of(cpu, drawing, positions, points, ends);
    facts["landscape"] = relief.facts;
    facts["hulls"] = mesh.facts;
    const Groups film = drawing.film == nullptr ? Groups() : steps_of(*drawing.film, drawing.options);
    if (film.labeled()) facts["film"] = facts_of(*drawing.film, film);
    PageContent content{facts.dump(), {}, !relief.facts.is_null() || !mesh.facts.is_null(), film.labeled(), false, {}};

    const Offset n = drawing.map.size();
    content.webgpu = n + 2 * std::ssize(ends) > few_points;
    const auto planes = [&](const auto& number, int bytes) {
        return [&number, &points, bytes](Offset first, Offset last) {
            std::vector<std::uint32_t> some;
            for (Offset p = first; p < last; ++p)
                some.push_back(static_cast<std::uint32_t>(number(points.rows[at(p)])));
            return planes_payload(some, bytes);
        };
    };
    const bool ranks = has_ranks(drawing);
    const auto label_or_group = [&](Index row) {
        return ranks ? Index{drawing.groups.of[at(row)]} : label_number(drawing.labels, drawing.labels.of[at(row)]);
    };
    // With a sample: the rows of its points in the whole map
    std::vector<Index> names =
        drawing.sample == nullptr ? std::vector<Index>() : some_of(drawing.sample->rows, points.rows);
    std::vector<Planned> planned;
    plan(planned, points, FrameKind::positions, points.low_bits, n,
         [&](Offset first, Offset last) { return positions_payload(points, positions.values, first, last); });
    if (drawing.groups.labeled()) {
        const int bytes = ranks ? 1 : bytes_of(facts["groupOfLabel"].size() - 1);
        plan(planned, points, FrameKind::labels, bytes, n, planes(label_or_group, bytes));
    }
    plan(planned, points, FrameKind::edges, 0, std::ssize(ends), [&](Offset first, Offset last) {
        return edges_payload(std::span(ends).subspan(at(first), at(last - first)));
    });
    if (!embedded || n <= most_numbered) {
        const Offset of = drawing.sample == nullptr ? n : drawing.sample->whole.map.size();
        const int bytes = bytes_of(static_cast<std::uint64_t>(std::max<Offset>(of - 1, 0)));
        plan_numbers(planned, points, FrameKind::rows, bytes,
                     std::span<const Index>(drawing.sample == nullptr ? points.rows : names));
    }
    if (embedded || n <= most_numbered) plan_ids(planned, drawing.names, points);
    plan(planned, points, FrameKind::colors, 1, std::ssize(film.of), [&](Offset first, Offset last) {
        std::vector<std::uint32_t> some;
        for (Offset i = first; i < last; ++i) some.push_back(film.of[at(i / n * n + points.rows[at(i % n)])]);
        return planes_payload(some, 1);
    });
    plan_numbers(planned, relief.grid, FrameKind::relief, 3, std::span(relief.values));
    plan_numbers(planned, mesh.box, FrameKind::vertices, 2, std::span(mesh.vertices));
    plan_numbers(planned, mesh.box, FrameKind::triangles, bytes_of(mesh.vertices.size() / 6), mesh.triangles);

    content.frames.resize(planned.size());
    cpu.blocks(std::ssize(planned), 1, [&](Offset which, Offset, int) {
        Planned& frame = planned[at(which)];
        frame.header.deflated = embedded;
        const std::string payload = frame.payload();
        content.frames[at(which)] = frame_of(frame.header, *frame.lattice, embedded ? deflated(payload) : payload);
    });
    content.rows = std::move(drawing.sample == nullptr ? points.rows : names);
    return content;
}

}  // namespace dunlin::picture
