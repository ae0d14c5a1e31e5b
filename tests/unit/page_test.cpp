// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include <dunlin/error.hpp>
#include <dunlin/page.hpp>

#include "cases/graphs.hpp"
#include "density/prominence.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "picture/cell_density.hpp"
#include "picture/frames.hpp"
#include "picture/lattice.hpp"
#include "picture/page_content.hpp"
#include "picture/peaks.hpp"

namespace dunlin::picture {
namespace {

template <class T>
T read_at(const std::string& bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof(T));
    return value;
}

std::uint32_t varint(const std::string& bytes, std::size_t& place) {
    std::uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(place++));
        value |= static_cast<std::uint32_t>(byte & 127U) << shift;
        if (byte < 128) return value;
    }
}

std::string inflated(const std::string& frame) {
    std::string out(max_payload, '\0');
    uLongf size = out.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(frame.data()) + 64,
                         frame.size() - 64),
              Z_OK);
    out.resize(size);
    return out;
}

/// Coordinates of every place, as a page computes them.
std::vector<double> decoded(const LatticePoints& points, const std::string& payload, Offset count) {
    std::vector<double> coordinates(at(count * points.dim));
    std::size_t place = 0;
    std::uint32_t code = 0;
    std::vector<std::uint32_t> cells(coordinates.size());
    for (Offset p = 0; p < count; ++p) {
        code += varint(payload, place);
        for (int bit = 0; bit < points.code_bits; ++bit) {
            for (int axis = 0; axis < points.dim; ++axis)
                cells[at(p * points.dim + axis)] |= (code >> (bit * points.dim + axis) & 1U) << (bit + points.low_bits);
        }
    }
    for (int axis = 0; axis < points.dim; ++axis) {
        for (int shift = 0; shift < points.low_bits; shift += 8) {
            for (Offset p = 0; p < count; ++p)
                cells[at(p * points.dim + axis)] |=
                    static_cast<std::uint32_t>(static_cast<unsigned char>(payload.at(place++))) << shift;
        }
    }
    EXPECT_EQ(place, payload.size());
    for (std::size_t c = 0; c < cells.size(); ++c)
        coordinates[c] = points.origin[c % at(points.dim)] + cells[c] * points.step;
    return coordinates;
}

std::vector<float> random_values(Offset count, float side) {
    std::vector<float> values;
    for (Offset i = 0; i < count; ++i)
        values.push_back(side * static_cast<float>(math::random_uniform(5, static_cast<std::uint64_t>(i))));
    return values;
}

TEST(Page, PositionsReturnWithinHalfAStep) {
    device::Cpu cpu(2);
    for (const int dim : {2, 3}) {
        for (const Index n : {1, 2, 31, 1000}) {
            std::vector<float> values = random_values(Offset{n} * dim, 1e-3F);
            for (float& value : values) value += 500;  // far from the origin
            const LatticePoints points = lattice_points(cpu, values, dim);
            EXPECT_TRUE(std::is_sorted(points.codes.begin(), points.codes.end()));
            std::vector<Index> rows = points.rows;
            std::sort(rows.begin(), rows.end());
            for (Index i = 0; i < n; ++i) EXPECT_EQ(rows[at(i)], i);
            const std::vector<double> there = decoded(points, positions_payload(points, values, 0, n), n);
            for (Offset p = 0; p < n; ++p) {
                for (int axis = 0; axis < dim; ++axis) {
                    const auto wanted = static_cast<double>(values[at(points.rows[at(p)] * Offset{dim} + axis)]);
                    EXPECT_LE(std::abs(there[at(p * dim + axis)] - wanted), 0.501 * points.step);
                }
            }
        }
    }
}

TEST(Page, CoincidentPointsKeepTheirOrder) {
    device::Cpu cpu(1);
    const LatticePoints points = lattice_points(cpu, std::vector<float>(14, 3.5F), 2);
    EXPECT_EQ(points.rows, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(points.codes, std::vector<std::uint32_t>(7, 0));
    EXPECT_EQ(points.step, 1);
}

TEST(Page, CoordinatesOfTheLargestFloatsAreFinite) {
    device::Cpu cpu(1);
    const float huge = std::numeric_limits<float>::max();
    const LatticePoints points = lattice_points(cpu, std::vector<float>{-huge, huge, huge, -huge}, 2);
    EXPECT_TRUE(std::isfinite(points.step));
    EXPECT_EQ(points.cell(huge, 0), (1U << 24) - 1);
    EXPECT_EQ(points.cell(-huge, 0), 0U);
}

TEST(Page, LargeMapsHaveFewerBits) {
    EXPECT_EQ(low_bits_of(2, 2000000), 8);
    EXPECT_EQ(low_bits_of(2, 2000001), 0);
    EXPECT_EQ(low_bits_of(3, 2000000), 14);
    EXPECT_EQ(low_bits_of(3, 2000001), 6);
}

TEST(Page, EdgesAreDifferencesOfPlaces) {
    const std::vector<Ends> ends = {{0, 3}, {0, 300}, {7, 8}};
    const std::string bytes = edges_payload(ends);
    std::size_t place = 0;
    std::uint32_t low = 0;
    for (const Ends& edge : ends) {
        low += varint(bytes, place);
        EXPECT_EQ(low, edge.low);
        EXPECT_EQ(low + varint(bytes, place), edge.high);
    }
    EXPECT_EQ(place, bytes.size());
}

TEST(Page, NumbersNeedTheirBytes) {
    EXPECT_EQ(bytes_of(0), 1);
    EXPECT_EQ(bytes_of(255), 1);
    EXPECT_EQ(bytes_of(256), 2);
    EXPECT_EQ(bytes_of(16777216), 4);
    EXPECT_EQ(planes_payload(std::vector<std::uint32_t>{0x0102, 0x0304}, 2), std::string("\x02\x04\x01\x03"));
}

/// A drawing of points with two labels, and of edges.
struct Drawn {
    Map map;
    Labels labels{{}, {"even", "odd"}};
    std::vector<std::string> ids;
    Options options;
    Graph graph;

    explicit Drawn(Map given) : map(std::move(given)) {
        for (Index i = 0; i < map.size(); ++i) {
            labels.of.push_back(i % 2);
            ids.push_back("id " + std::to_string(i));
        }
    }
    PageContent content(int threads, bool embedded) {
        device::Cpu cpu(threads);
        FlatMap flat = flatten(cpu, map);
        Groups groups = groups_of(labels, map.size());
        Page page = page_of(options, groups);
        const Viewport viewport = viewport_of(flat, page.plot, 3);
        return page_content(cpu,
                            Drawing{graph, map, labels, ids, options, std::move(groups), std::move(page),
                                    std::move(flat), Style{3, 1, false}, EdgeStyle{1, 1, false}, viewport},
                            embedded);
    }
};

TEST(Page, HasTheSameBytesForAnyNumberOfThreads) {
    Drawn drawn(Map{2, random_values(2 * 270000, 8)});
    drawn.graph = {{0, 1, 2}, {1, 0}, {1, 1}};
    for (Index v = 2; v < drawn.map.size(); ++v) drawn.graph.offsets.push_back(2);
    const PageContent one = drawn.content(1, true), three = drawn.content(3, true);
    EXPECT_EQ(one.facts, three.facts);
    EXPECT_EQ(one.frames, three.frames);
}

TEST(Page, FramesCoverAllItemsOnce) {
    Drawn drawn(Map{2, random_values(2 * 600000, 8)});
    const PageContent content = drawn.content(2, true);
    std::vector<std::uint32_t> read(6);
    std::vector<Index> rows(600000), labels(600000);
    std::string ids;
    for (const std::string& frame : content.frames) {
        ASSERT_EQ(frame.substr(0, 5), std::string("DUNL\x01"));
        const auto kind = read_at<std::uint8_t>(frame, 5), flags = read_at<std::uint8_t>(frame, 6),
                   width = read_at<std::uint8_t>(frame, 7);
        const auto first = read_at<std::uint32_t>(frame, 16), count = read_at<std::uint32_t>(frame, 20);
        EXPECT_EQ(first, read.at(kind));
        read.at(kind) += count;
        EXPECT_EQ((flags & 1U) != 0, read.at(kind) == 600000U);
        EXPECT_EQ(flags & 4U, 4U);
        const std::string payload = inflated(frame);
        for (std::uint32_t i = 0; i < count && (kind == 2 || kind == 4); ++i) {
            Index value = 0;
            for (int plane = width - 1; plane >= 0; --plane)
                value = value * 256 + static_cast<unsigned char>(payload.at(at(Offset{plane} * count + i)));
            (kind == 2 ? labels : rows)[first + i] = value;
        }
        if (kind == 5) ids += payload;
    }
    EXPECT_EQ(read, (std::vector<std::uint32_t>{0, 600000, 600000, 0, 600000, 600000}));
    EXPECT_EQ(rows, content.rows);
    for (std::size_t p = 0; p < rows.size(); ++p) ASSERT_EQ(labels[p], rows[p] % 2);
    EXPECT_TRUE(ids.starts_with("id " + std::to_string(rows[0]) + "\nid " + std::to_string(rows[1]) + "\n"));
}

TEST(Page, OfAServerIsNotDeflated) {
    Drawn drawn(Map{3, random_values(300, 8)});
    const PageContent content = drawn.content(1, false);
    ASSERT_EQ(content.frames.size(), 4U);
    for (const std::string& frame : content.frames) EXPECT_EQ(read_at<std::uint8_t>(frame, 6), 3);  // last, in space
}

TEST(Page, OfNoPointsHasNoFrames) {
    Drawn drawn(Map{2, {}});
    EXPECT_TRUE(drawn.content(1, true).frames.empty());
}

TEST(Page, ASampleHasOneOfEveryKPoints) {
    EXPECT_TRUE(random_rows(0, 5).empty());
    EXPECT_EQ(random_rows(4, 1), (std::vector<Index>{0, 1, 2, 3}));
    for (Index n = 1; n < 200; ++n) {  // of few points there is one
        const std::vector<Index> rows = random_rows(n, 200);
        ASSERT_EQ(rows.size(), 1U) << n;
        ASSERT_LT(rows[0], n);
    }
    for (const Index n : {1, 4, 5, 6, 70001, 1000000}) {
        const std::vector<Index> rows = random_rows(n, 5);
        ASSERT_GE(std::ssize(rows), n / 5) << n;  // the last one of too few may be missing
        ASSERT_LE(std::ssize(rows), (n + 4) / 5) << n;
        for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i] / 5, static_cast<Index>(i)) << n;
        for (const Index row : rows) ASSERT_LT(row, n);
    }
    // Every place in five is as probable as the others: within five standard deviations
    std::array<int, 5> counts{};
    for (const Index row : random_rows(1000000, 5)) ++counts[at(row % 5)];
    for (const int count : counts) EXPECT_NEAR(count, 40000, 5 * std::sqrt(200000 * 0.2 * 0.8));
    // The largest numbers do not overflow
    EXPECT_EQ(random_rows(std::numeric_limits<Index>::max(), std::numeric_limits<Index>::max()).size(), 1U);
}

/// Numbers of a frame.
std::vector<std::uint32_t> numbers_of(const std::string& frame) {
    const auto count = read_at<std::uint32_t>(frame, 20);
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (std::size_t plane = 0; plane < static_cast<unsigned char>(frame[7]); ++plane)
            numbers[i] |= static_cast<std::uint32_t>(static_cast<unsigned char>(frame.at(64 + plane * count + i)))
                          << (8 * plane);
    }
    return numbers;
}

const std::string& frame_of_kind(const PageContent& content, char kind) {
    return *std::find_if(content.frames.begin(), content.frames.end(), [&](const auto& f) { return f[5] == kind; });
}

TEST(Page, OfASampleNamesPointsAndLabelsAsThatOfAll) {
    for (const int dim : {2, 3}) {
        const Index n = 70001, one_in = 50;
        const Map map{dim, random_values(Offset{n} * dim, 8)};
        Labels labels{{}, {"even", "odd", "rare"}};
        std::vector<std::string> ids;
        for (Index i = 0; i < n; ++i) {
            labels.of.push_back(i % 2);
            ids.push_back("id " + std::to_string(i));
        }
        const std::vector<Index> rows = random_rows(n, one_in);
        for (Index i = 0;; ++i) {  // a label that the sample misses
            if (std::binary_search(rows.begin(), rows.end(), i)) continue;
            labels.of[at(i)] = 2;
            break;
        }
        const PageContent all = page_content(map, {}, labels, ids, nullptr);
        const PageContent sample = page_content(map, {}, labels, ids, nullptr, {}, {}, {.one_in = one_in});
        const auto facts = nlohmann::json::parse(sample.facts), facts_of_all = nlohmann::json::parse(all.facts);
        EXPECT_EQ(facts["points"], rows.size());
        EXPECT_EQ(facts["of"], n);
        EXPECT_FALSE(facts_of_all.contains("of"));
        for (const char* same :
             {"title", "dim", "names", "groupOfLabel", "groups", "center", "turn", "bounds", "style"})
            EXPECT_EQ(facts[same], facts_of_all[same]) << same;

        std::vector<Index> sorted = sample.rows;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(sorted, rows);
        const std::vector<std::uint32_t> named = numbers_of(frame_of_kind(sample, 4));
        EXPECT_TRUE(std::equal(named.begin(), named.end(), sample.rows.begin(), sample.rows.end()));
        const std::vector<std::uint32_t> labeled = numbers_of(frame_of_kind(sample, 2));
        std::string lines;
        ASSERT_EQ(labeled.size(), sample.rows.size());
        for (std::size_t p = 0; p < labeled.size(); ++p) {
            ASSERT_EQ(labeled[p], static_cast<std::uint32_t>(labels.of[at(sample.rows[p])]));
            lines += ids[at(sample.rows[p])] + '\n';
        }
        EXPECT_EQ(frame_of_kind(sample, 5).substr(64), lines);
        // Its places are those of these points
        device::Cpu cpu(1);
        std::vector<float> values;
        for (const Index row : rows)
            for (int axis = 0; axis < dim; ++axis) values.push_back(map.coordinates[at(Offset{row} * dim + axis)]);
        const LatticePoints points = lattice_points(cpu, values, dim);
        EXPECT_EQ(frame_of_kind(sample, 1).substr(64), positions_payload(points, values, 0, std::ssize(rows)));
    }
}

TEST(Page, OfASampleOfFewPoints) {
    EXPECT_TRUE(page_content(Map{2, {}}, {}, {}, {}, nullptr, {}, {}, {.one_in = 3}).frames.empty());
    const PageContent one = page_content(Map{2, {1, 2}}, {}, {}, {}, nullptr, {}, {}, {.one_in = 1});
    EXPECT_FALSE(nlohmann::json::parse(one.facts).contains("of"));
    EXPECT_EQ(one.rows.size(), 1U);
    const auto facts =
        nlohmann::json::parse(page_content(Map{2, {1, 2}}, {}, {}, {}, nullptr, {}, {}, {.one_in = 3}).facts);
    EXPECT_EQ(facts["of"], 1);
    EXPECT_EQ(facts["points"], 1);
}

TEST(Page, ASampleKeepsTheScaleOfAllValues) {
    const Map map{2, random_values(2 * 1000, 8)};
    Coloring coloring{{}, "value"};
    for (int i = 0; i < 1000; ++i) coloring.values.push_back(i == 0 ? -900 : i == 999 ? 900 : 1);
    const PageContent all = page_content(map, {}, {}, {}, &coloring);
    const PageContent sample = page_content(map, {}, {}, {}, &coloring, {}, {}, {.one_in = 10});
    EXPECT_EQ(nlohmann::json::parse(sample.facts)["scale"], nlohmann::json::parse(all.facts)["scale"]);
    const std::vector<std::uint32_t> steps = numbers_of(frame_of_kind(sample, 2)),
                                     steps_of_all = numbers_of(frame_of_kind(all, 2));
    for (std::size_t p = 0; p < steps.size(); ++p) {
        const auto place = std::find(all.rows.begin(), all.rows.end(), sample.rows[p]) - all.rows.begin();
        ASSERT_EQ(steps[p], steps_of_all[at(place)]);
    }
}

TEST(Page, HasTheFramesOfAFilmAsStepsOfOneScale) {
    const Map map{2, {3, 0, 0, 0, 1, 1, 2, 5}};
    const double none = std::numeric_limits<double>::quiet_NaN();
    Coloring coloring{{1, 2, 3, 4}, "time"};
    coloring.film = {{{-1, 0, 1, 3}, {3, 0, none, 0}}, {"t = 0", "t < 1"}, "v"};
    const PageContent content = page_content(map, {}, {}, {}, &coloring);
    EXPECT_TRUE(content.film);
    const auto facts = nlohmann::json::parse(content.facts);
    EXPECT_EQ(facts["film"]["captions"], (std::vector<std::string>{"t = 0", "t < 1"}));
    EXPECT_EQ(facts["film"]["scale"]["name"], "v");
    EXPECT_EQ(facts["scale"]["name"], "time");
    ASSERT_EQ(facts["film"]["names"].size(), facts["groups"].size());
    // Values from -1 to 3 in 240 steps, and 240 for none; points in the order of the page
    const std::vector<int> steps = {0, 60, 120, 239, 239, 60, 240, 60};
    const auto last =
        std::find_if(content.frames.begin(), content.frames.end(), [](const auto& f) { return f[5] == 10; });
    ASSERT_NE(last, content.frames.end());
    ASSERT_EQ(last->size(), 64U + 8U);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t frame = i / 4, row = at(content.rows[i % 4]);
        EXPECT_EQ(static_cast<unsigned char>((*last)[64 + i]), steps[4 * frame + row]) << i;
    }
    coloring.film = {};
    EXPECT_FALSE(page_content(map, {}, {}, {}, &coloring).film);
    EXPECT_TRUE(nlohmann::json::parse(page_content(map, {}, {}, {}, &coloring).facts)["film"].is_null());
}

TEST(Page, ManyPointsOrEdgesAreForWebGpu) {
    const auto line = [](Index n) {
        Map map{2, std::vector<float>(2 * at(n))};
        std::iota(map.coordinates.begin(), map.coordinates.end(), 0.0F);
        return map;
    };
    EXPECT_FALSE(page_content(line(300000), {}, {}, {}, nullptr).webgpu);
    EXPECT_TRUE(page_content(line(300001), {}, {}, {}, nullptr).webgpu);
    // An edge counts as its two ends
    EXPECT_FALSE(page_content(line(100000), made::path(100000), {}, {}, nullptr).webgpu);
    EXPECT_TRUE(page_content(line(100002), made::path(100002), {}, {}, nullptr).webgpu);
}

TEST(Page, RefusesAFilmThatDoesNotFit) {
    const Map map{2, {3, 0, 0, 0}};
    const auto refusal = [&](ColorFilm film, const Map& of) -> std::string {
        Coloring coloring{std::vector<double>(at(of.size())), "time"};
        coloring.film = std::move(film);
        try {
            page_content(of, {}, {}, {}, &coloring);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal({{{1, 2}}, {}, "v"}, map).find("1 frames and 0 captions"), std::string::npos);
    EXPECT_NE(refusal({{{1, 2}, {1}}, {"a", "b"}, "v"}, map).find("frame 1 of the film 1 values"), std::string::npos);
    EXPECT_EQ(refusal({{{1}}, {"a"}, "v"}, Map{2, {1, 1}}), "");
}

TEST(Prominence, OfMaximaIsTheirHeightAboveTheSaddle) {
    // 4 x 4 cells: maxima 9, 6 and 4; 6 meets 9 at 3, 4 meets 9 at 2
    const std::vector<float> heights = {9, 3, 6, 0,  //
                                        2, 1, 1, 0,  //
                                        4, 0, 0, 0,  //
                                        0, 0, 0, 0};
    const auto maxima =
        density::prominent_maxima(heights, {4, 4, 1}, density::axis_neighbors(2), density::falling_order(heights));
    ASSERT_EQ(maxima.size(), 3U);
    EXPECT_EQ(maxima[0].node, 0);
    EXPECT_EQ(maxima[0].value, 9);
    EXPECT_EQ(maxima[1].node, 2);
    EXPECT_EQ(maxima[1].value, 3);
    EXPECT_EQ(maxima[2].node, 8);
    EXPECT_EQ(maxima[2].value, 2);
}

TEST(Prominence, OfAPlateauIsOneMaximum) {
    const auto maxima_of = [](const std::vector<float>& heights, int dim) {
        return density::prominent_maxima(heights, {2, 2, dim - 1}, density::axis_neighbors(dim),
                                         density::falling_order(heights));
    };
    EXPECT_EQ(maxima_of(std::vector<float>(8, 2.0F), 3).size(), 1U);
    EXPECT_TRUE(maxima_of(std::vector<float>(4, 0.0F), 2).empty());
}

TEST(Peaks, AreWhereLabelsAreDense) {
    device::Cpu cpu(2);
    std::vector<float> values;
    Labels labels{{}, {"one place", "two places", "none"}};
    for (int i = 0; i < 3000; ++i) {
        const float x = static_cast<float>(math::random_uniform(1, static_cast<std::uint64_t>(2 * i)));
        const float y = static_cast<float>(math::random_uniform(1, static_cast<std::uint64_t>(2 * i + 1)));
        const int label = i % 3 == 0 ? 0 : 1;
        values.push_back(x + (label == 0 ? 0.0F : i % 3 == 1 ? 30.0F : 60.0F));
        values.push_back(y + (label == 0 ? 0.0F : 50.0F));
        labels.of.push_back(label);
    }
    const LatticePoints points = lattice_points(cpu, values, 2);
    const std::vector<LabelPeak> peaks = peaks_of(cpu, points, values, labels);
    std::vector<Index> of(3);
    for (const LabelPeak& peak : peaks) {
        ++of[at(peak.label)];
        if (peak.label == 0) {
            EXPECT_NEAR(peak.place[0], 0.5, 1);
            EXPECT_NEAR(peak.place[1], 0.5, 1);
        } else {
            EXPECT_NEAR(peak.place[1], 50.5, 1);
        }
    }
    EXPECT_EQ(of, (std::vector<Index>{1, 2, 0}));
    EXPECT_GE(peaks[0].prominence, peaks[1].prominence);
}

TEST(Peaks, AreOfPointsWithLabels) {
    device::Cpu cpu(2);
    const std::vector<float> values{0, 0, 1, 1, 2, 0, 0, 1};
    const LatticePoints points = lattice_points(cpu, values, 2);
    const std::vector<LabelPeak> peaks = peaks_of(cpu, points, values, {{no_label, 0, no_label, no_label}, {"a"}});
    ASSERT_EQ(peaks.size(), 1U);
    EXPECT_NEAR(peaks[0].place[0], 1, 1e-6);
    EXPECT_TRUE(peaks_of(cpu, points, values, {{0, 0, 0, 0}, {"a"}}).empty()) << "all have one label";
    EXPECT_TRUE(peaks_of(cpu, points, values, {std::vector<Index>(4, no_label), {}}).empty());
}

TEST(Page, NumbersPointsWithoutALabelAfterTheNames) {
    const Map map{2, {0, 0, 1, 1, 2, 0, 0, 1}};
    for (const Index names : {0, 2, 256}) {  // with 256 names, the number takes two bytes
        Labels labels{{no_label, names == 0 ? no_label : 1, no_label, names == 0 ? no_label : 0}, {}};
        for (Index name = 0; name < names; ++name) labels.names.push_back(std::to_string(name));
        const PageContent content = page_content(map, {}, labels, {}, nullptr);
        const auto facts = nlohmann::json::parse(content.facts);
        EXPECT_EQ(facts["names"].size(), at(names));
        ASSERT_EQ(facts["groupOfLabel"].size(), at(names + 1));
        EXPECT_EQ(facts["groupOfLabel"][at(names)], facts["groups"].size() - 1);
        EXPECT_EQ(facts["groups"].back()["name"], "no label");
        const std::vector<std::uint32_t> labeled = numbers_of(frame_of_kind(content, 2));
        ASSERT_EQ(labeled.size(), 4U);
        for (std::size_t p = 0; p < 4; ++p) {
            const Index label = labels.of[at(content.rows[p])];
            EXPECT_EQ(labeled[p], static_cast<std::uint32_t>(label == no_label ? names : label));
        }
    }
}

TEST(CellDensity, OfPointsOnALatticeIsTheirNumberPerArea) {
    FlatMap flat;
    for (int i = 0; i < 320 * 320; ++i) {
        flat.x.push_back(static_cast<float>(i % 320) + 0.5F);
        flat.y.push_back(static_cast<float>(i / 320) + 0.5F);
    }
    flat.left = flat.bottom = 0;
    flat.right = flat.top = 320;
    for (const float diameter : {4.0F, 20.0F}) {
        const CellDensity density = density_of_points(flat, 640, diameter);
        EXPECT_NEAR(density.middle, 1, 0.1);
        EXPECT_NEAR(density.around, 1, 0.1);
        EXPECT_NEAR(density.dense, 1, 0.5);  // some cells have one row or column more
    }
    EXPECT_EQ(density_of_points(FlatMap{{1, 1}, {2, 2}, {}, {}, {}, 1, 1, 2, 2}, 640, 4).dense, 0);
}

TEST(CellDensity, OfAnEdgeIsItsLengthPerArea) {
    const FlatMap flat{{0, 160}, {0, 0}, {}, {}, {}, 0, 160, 0, 0};
    // 16 pieces of length 10 in 16 cells of area 1
    EXPECT_NEAR(dense_edges(flat, std::vector<Ends>{{0, 1}}, std::vector<Index>{0, 1}), 10, 1e-9);
}

}  // namespace
}  // namespace dunlin::picture
