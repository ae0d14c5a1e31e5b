// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sequences.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dunlin/mds.hpp>

#include "cases/sequences.hpp"
#include "device/gpus.hpp"
#include "refusal.hpp"
#include "sequences/cuda.hpp"
#include "sequences/matchings.hpp"

namespace dunlin::sequences {
namespace {

using made::drawn, made::random_strings, made::random_tracks;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The plain dynamic program over all cells.
Offset edit_by_table(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    std::vector<Offset> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<Offset>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        Offset corner = row[0];
        row[0] = static_cast<Offset>(i);
        for (std::size_t j = 1; j < row.size(); ++j) {
            const Offset replaced = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
            corner = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

void expect_table(const Strings& strings) {
    const Matrix all = distances(strings);
    for (Index i = 0; i < strings.size(); ++i) {
        for (Index j = 0; j < strings.size(); ++j) {
            ASSERT_EQ(static_cast<double>(all.view()(i, j)),
                      static_cast<double>(edit_by_table(strings.item(i), strings.item(j))))
                << i << ' ' << j << ": " << strings.item(i).size() << ' ' << strings.item(j).size();
        }
    }
}

TEST(Sequences, EditDistancesAreThoseOfTheTable) {
    for (const std::uint64_t alphabet : {1, 2, 4, 30, 100000}) {
        expect_table(random_strings({0,  0,   1,   1,   2,   15,  16,  17,  31,  32,  33,  63,  64,
                                     65, 127, 128, 129, 200, 200, 255, 256, 257, 300, 511, 513, 700},
                                    alphabet));
    }
}

TEST(Sequences, EditDistancesOfManyShortStringsAreThoseOfTheTable) {
    std::vector<std::size_t> lengths;
    for (std::uint64_t i = 0; i < 90; ++i) lengths.push_back(drawn(20, i, 1000));
    expect_table(random_strings(lengths, 5));
    for (std::size_t& length : lengths) length = drawn(70, length, 2000);
    expect_table(random_strings(lengths, 3));
}

TEST(Sequences, TextsLongerThanTheRangeOfALane) {
    Strings strings;
    strings.symbols.assign(70000, 7);
    strings.symbols[69999] = 8;
    strings.offsets.push_back(70000);
    strings.symbols.insert(strings.symbols.end(), {7, 8, 9});
    strings.offsets.push_back(70003);
    EXPECT_EQ(between(strings, 1, 0), 69999);
    EXPECT_EQ(between(strings, 0, 1), 69999);
    strings.offsets.push_back(70003);
    EXPECT_EQ(between(strings, 2, 0), 70000);
}

TEST(Sequences, KnownEditDistances) {
    const std::vector<std::string> texts{"kitten", "sitting", "",         "Saturday", "Sunday",
                                         "naïve",  "naive",   "\xff\xfe", "\xff"};
    const Strings strings = strings_of(texts);
    EXPECT_EQ(between(strings, 0, 1), 3);
    EXPECT_EQ(between(strings, 2, 1), 7);
    EXPECT_EQ(between(strings, 3, 4), 3);
    EXPECT_EQ(between(strings, 5, 6), 1) << "code points, not bytes";
    EXPECT_EQ(between(strings, 7, 8), 1) << "an invalid byte is a symbol";
    EXPECT_EQ(between(strings, 2, 2), 0);
}

TEST(Sequences, CodePoints) {
    const auto points = [](const std::string& text) {
        const std::vector<std::string> texts{text};
        return strings_of(texts).symbols;
    };
    EXPECT_EQ(points("a\u00e9\u20ac\U0001f600"), (std::vector<std::uint32_t>{'a', 0xe9, 0x20ac, 0x1f600}));
    EXPECT_EQ(points("\xc0\x80").size(), 2U) << "an encoding that is too long";
    EXPECT_EQ(points("\xed\xa0\x80").size(), 3U) << "a surrogate";
    EXPECT_EQ(points("\xf4\x90\x80\x80").size(), 4U) << "beyond Unicode";
    EXPECT_EQ(points("\xe2\x82").size(), 2U) << "cut off";
}

TEST(Sequences, WordsAreSymbols) {
    const std::vector<std::string> texts{"the cat  sat", " the dog sat down\t", "", "   "};
    const Strings strings = strings_of(texts, Unit::words);
    EXPECT_EQ(strings.item(0).size(), 3U);
    EXPECT_EQ(between(strings, 0, 1), 2);
    EXPECT_EQ(between(strings, 1, 2), 4);
    EXPECT_EQ(between(strings, 2, 3), 0);
}

/// Haversine formula.
double haversine(const double* a, const double* b) {
    constexpr double degree = std::numbers::pi / 180;
    const double u = std::sin((b[0] - a[0]) * degree / 2), v = std::sin((b[1] - a[1]) * degree / 2);
    return 2 * earth_radius * std::asin(std::sqrt(u * u + std::cos(a[0] * degree) * std::cos(b[0] * degree) * v * v));
}

double ground(const Tracks& tracks, Offset p, Offset q) {
    const double *const a = tracks.positions.data() + p * tracks.dim, *const b =
                                                                          tracks.positions.data() + q * tracks.dim;
    if (tracks.geographic) return haversine(a, b);
    double sum = 0;
    for (int c = 0; c < tracks.dim; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return std::sqrt(sum);
}

/// The plain dynamic program of dtw and frechet over all cells; the definition of hausdorff.
double by_table(const Tracks& tracks, Index i, Index j, const Options& o) {
    const Offset n = tracks.length(i), m = tracks.length(j), from = tracks.offsets[static_cast<std::size_t>(i)],
                 to = tracks.offsets[static_cast<std::size_t>(j)];
    if (*o.metric == Metric::hausdorff) {
        double most = 0;
        const auto directed = [&](Offset first, Offset count, Offset other, Offset of_other) {
            for (Offset p = 0; p < count; ++p) {
                double nearest = infinity;
                for (Offset q = 0; q < of_other; ++q) nearest = std::min(nearest, ground(tracks, first + p, other + q));
                most = std::max(most, nearest);
            }
        };
        directed(from, n, to, m);
        directed(to, m, from, n);
        return most;
    }
    const bool sums = *o.metric == Metric::dtw, squares = o.cost == WarpingCost::square;
    std::vector<double> table(static_cast<std::size_t>((n + 1) * (m + 1)), infinity);
    const auto cell = [&](Offset p, Offset q) -> double& { return table[static_cast<std::size_t>(p * (m + 1) + q)]; };
    cell(0, 0) = 0;
    const Offset band = o.band ? *o.band : n + m;
    for (Offset p = 1; p <= n; ++p) {
        for (Offset q = 1; q <= m; ++q) {
            const Offset shift = q - p;
            if (shift < std::min<Offset>(0, m - n) - band || shift > std::max<Offset>(0, m - n) + band) continue;
            double cost = ground(tracks, from + p - 1, to + q - 1);
            if (squares) cost *= cost;
            const double before = std::min({cell(p - 1, q - 1), cell(p - 1, q), cell(p, q - 1)});
            cell(p, q) = sums ? cost + before : std::max(cost, before);
        }
    }
    return squares ? std::sqrt(cell(n, m)) : cell(n, m);
}

void expect_table(const Tracks& tracks, const Options& options) {
    const Matrix all = distances(tracks, options);
    for (Index i = 0; i < tracks.size(); ++i) {
        for (Index j = 0; j < tracks.size(); ++j) {
            const double wanted = i == j ? 0 : by_table(tracks, i, j, options);
            ASSERT_NEAR(static_cast<double>(all.view()(i, j)), wanted, 2e-6 * wanted + 1e-6)
                << name_of(*options.metric) << ' ' << i << ' ' << j << " band " << options.band.value_or(-1);
        }
    }
}

const std::vector<Index> lengths{1, 1, 2, 3, 63, 64, 65, 200, 17};

TEST(Sequences, TrackDistancesAreThoseOfTheTable) {
    for (const int dim : {1, 2, 3, 5}) {
        const Tracks tracks = random_tracks(lengths, dim);
        for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff}) expect_table(tracks, {metric});
        expect_table(tracks, {.metric = Metric::dtw, .cost = WarpingCost::square});
    }
}

TEST(Sequences, BandsAreThoseOfTheTable) {
    const Tracks tracks = random_tracks(lengths, 2);
    for (const Index band : {0, 1, 2, 7, 300}) {
        expect_table(tracks, {.metric = Metric::dtw, .band = band});
        expect_table(tracks, {.metric = Metric::frechet, .band = band});
    }
    // Without a shift, equally long series match position by position
    Tracks pair = random_tracks({50, 50}, 1);
    double sum = 0;
    for (std::size_t k = 0; k < 50; ++k) sum += std::abs(pair.positions[k] - pair.positions[50 + k]);
    EXPECT_NEAR(between(pair, 0, 1, {.metric = Metric::dtw, .band = 0}), sum, 1e-5 * sum);
}

TEST(Sequences, DistancesOnTheSphereAreThoseOfTheTable) {
    const Tracks tracks = random_tracks({1, 2, 30, 45}, 2, true);
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff}) expect_table(tracks, {metric});
    Tracks far = tracks;  // continents apart: no series
    for (Offset p = far.offsets[2]; p < far.offsets[3]; ++p) far.positions[static_cast<std::size_t>(2 * p + 1)] += 150;
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff}) expect_table(far, {metric});
}

Tracks places(std::vector<double> coordinates) {
    Tracks tracks;
    tracks.geographic = true;
    tracks.positions = std::move(coordinates);
    for (Offset i = 1; i <= std::ssize(tracks.positions) / 2; ++i) tracks.offsets.push_back(i);
    return tracks;
}

TEST(Sequences, KnownDistancesOnTheSphere) {
    // Berlin, Paris, the poles, both sides of the date line, one meter north
    const Tracks tracks = places({52.52, 13.405, 48.8566, 2.3522, 90, 0, -90, 77, 10, 179.5, 10, -179.5,
                                  52.52 + 360 / (2 * std::numbers::pi * earth_radius), 13.405});
    const Options options{.metric = Metric::great_circle};
    EXPECT_NEAR(between(tracks, 0, 1, options), 877463, 500);
    EXPECT_NEAR(between(tracks, 2, 3, options), std::numbers::pi * earth_radius, 1);
    EXPECT_NEAR(between(tracks, 4, 5, options), haversine(&tracks.positions[8], &tracks.positions[10]), 0.1);
    EXPECT_NEAR(between(tracks, 4, 5, options), 109505, 100);
    EXPECT_NEAR(between(tracks, 0, 6, options), 1, 1e-5);
}

TEST(Sequences, TheSeriesOfTheArcIsTheArc) {
    for (const double square : {0.0, 1e-20, 1e-8, 1e-4, 0.01, short_square})
        EXPECT_NEAR(short_arc_of(square), arc_of(square), 1e-14 * arc_of(square));
}

TEST(Sequences, AnyNumberOfThreadsGivesTheSameBytes) {
    const Strings strings = random_strings(std::vector<std::size_t>(100, 40), 4);
    const Tracks tracks = random_tracks(std::vector<Index>(40, 30), 2);
    const auto bytes = [](const Matrix& m) {
        return std::vector<float>(m.view().data, m.view().data + m.view().size());
    };
    EXPECT_EQ(bytes(distances(strings, {}, {.threads = 1})), bytes(distances(strings, {}, {.threads = 4})));
    EXPECT_EQ(bytes(distances(tracks, {Metric::dtw}, {.threads = 1})),
              bytes(distances(tracks, {Metric::dtw}, {.threads = 4})));
}

TEST(Sequences, OnDemandIsWhatAllAtOnceIs) {
    const Tracks tracks = random_tracks(std::vector<Index>(70, 20), 2);
    const auto all = mds::Dissimilarities::of_tracks(tracks, {.metric = Metric::frechet, .pairs = Pairs::all});
    const auto some = mds::Dissimilarities::of_tracks(tracks, {.metric = Metric::frechet, .pairs = Pairs::on_demand});
    EXPECT_EQ(all.on_demand(), nullptr);
    ASSERT_NE(some.on_demand(), nullptr);
    mds::Options options;
    options.landmarks = 70;  // all rows are requested
    const mds::Result by_rows = mds::place(some, options);
    EXPECT_EQ(by_rows.varies_because, "");
    EXPECT_LT(mds::stress(all, by_rows.map).normalized_stress.value, 0.2);
    EXPECT_EQ(some.usage().computed, 70 * 69 / 2);
}

TEST(Sequences, DevicesAreChosenAndNamed) {
    const Strings strings = random_strings({3, 4, 5}, 3);
    const Tracks tracks = random_tracks({3, 4, 5}, 2);
    const dunlin::Run on_gpu{.device = Device::cuda};
    const auto all = mds::Dissimilarities::of_strings(strings, {}, {.gpus = {0, 1}});
    EXPECT_FALSE(all.gpu()) << "a few items are not worth a GPU";
    EXPECT_EQ(distances(strings, {}, {.gpus = {0, 1}}).rows(), 3) << "of several the first";
    EXPECT_EQ(distances(tracks, {}, {.gpus = {0, 1}}).rows(), 3);
    EXPECT_NE(refusal(Fault::bad_input, [&] { distances(strings, {}, {.gpus = {0, -1}}); }).find("GPU -1"),
              std::string::npos);
    if (device::cuda_devices() > 0) GTEST_SKIP() << "there is a GPU here";
    EXPECT_NE(refusal(Fault::no_device, [&] { distances(strings, {}, on_gpu); }).find("device cuda"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::no_device, [&] { distances(tracks, {}, on_gpu); }), "");
    EXPECT_NE(refusal(Fault::no_device, [&] { mds::Dissimilarities::of_tracks(tracks, {}, on_gpu); }), "");
    const dunlin::Run on_two{.device = Device::cuda, .gpus = {0, 1}};
    EXPECT_NE(refusal(Fault::no_device, [&] { distances(tracks, {}, on_two); }), "");
}

/// What a GPU must hold: the items, some rows of dissimilarities, and a workspace for what does not fit into a block's
/// shared memory.
TEST(Sequences, MemoryOnAGpu) {
    const auto strings = [](Offset longest, std::uint32_t alphabet) {
        static std::vector<Offset> offsets;
        offsets = {0, longest, longest + 5};
        return gpu_plan(StringArrays{{}, offsets, alphabet}, 2);
    };
    EXPECT_EQ(strings(200, 30).workspace, 0U);
    EXPECT_EQ(strings(2048, 30).workspace, 0U) << "31 vectors of 32 words";
    EXPECT_EQ(strings(2049, 30).workspace, 4 * 2056U) << "four teams, a byte for each symbol of the text";
    EXPECT_EQ(strings(200, 100000).workspace, 200000U) << "the slots of all symbols";
    EXPECT_EQ(strings(2000, 5000).workspace, 2001 * 32 * 8 + 10000U) << "and a vector for each symbol of the pattern";
    EXPECT_EQ(strings(200, 30).rows_at_once, 2);
    const std::vector<Offset> offsets{0, 257, 300};
    const std::vector<double> positions(600), extremes(8);
    TrackArrays tracks{positions, extremes, offsets};
    tracks.metric = Metric::dtw;
    const GpuPlan plan = gpu_plan(tracks, 2);
    EXPECT_EQ(plan.workspace, 4 * 257 * 8U) << "four teams, a double for each position";
    EXPECT_EQ(plan.bytes, 600 * 8 + 8 * 8 + 3 * 8 + 2 * 2 * 4 + plan.blocks * plan.workspace + 2 * 2 * 4);
    tracks.metric = Metric::hausdorff;
    EXPECT_EQ(gpu_plan(tracks, 2).workspace, 0U);
    EXPECT_EQ(gpu_plan(tracks, 1 << 25).rows_at_once, 1);
}

TEST(Sequences, FewItems) {
    EXPECT_EQ(distances(Strings{}).rows(), 0);
    EXPECT_EQ(distances(Tracks{}).rows(), 0);
    EXPECT_EQ(distances(random_tracks({3}, 2)).view()(0, 0), 0);
    EXPECT_EQ(mds::Dissimilarities::of_strings(Strings{}).size(), 0);
}

TEST(Sequences, BadInputIsRefused) {
    const Strings strings = strings_of(std::vector<std::string>{"a", "b"});
    Tracks tracks = random_tracks({2, 3}, 2);
    const auto refused = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { distances(tracks, options); });
    };
    EXPECT_NE(refusal(Fault::bad_input, [&] { distances(strings, {Metric::dtw}); }).find("use edit"),
              std::string::npos);
    EXPECT_NE(refused({Metric::edit}).find("use dtw"), std::string::npos);
    EXPECT_NE(refused({Metric::great_circle}).find("lat and lon"), std::string::npos);
    EXPECT_NE(refused({.metric = Metric::hausdorff, .band = 3}).find("band is 3"), std::string::npos);
    EXPECT_NE(refused({.metric = Metric::frechet, .cost = WarpingCost::square}).find("cost is square"),
              std::string::npos);
    EXPECT_NE(refused({.metric = Metric::dtw, .band = -1}).find("band is -1"), std::string::npos);
    tracks.positions[7] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(refused({}).find("item 1 has a position that is not finite"), std::string::npos);
    tracks.positions[7] = 1e18;
    EXPECT_NE(refused({}).find("scale the positions"), std::string::npos);
    tracks.positions[7] = 0;
    tracks.offsets = {0, 5, 5};
    EXPECT_NE(refused({}).find("item 1 has no position"), std::string::npos);
    tracks = places({91, 0, 1, 1});
    EXPECT_NE(refused({}).find("latitude 91"), std::string::npos);
    tracks = places({1, 0, 1, 1});
    tracks.offsets = {0, 2};
    EXPECT_NE(refused({Metric::great_circle}).find("2 positions"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { between(strings, 0, 2); }).find("there are 2"), std::string::npos);
}

TEST(Sequences, AStopGivesNothing) {
    std::stop_source stop;
    stop.request_stop();
    dunlin::Run run;
    run.stop = stop.get_token();
    EXPECT_EQ(distances(random_strings({3, 4, 5}, 3), {}, run).rows(), 0);
    EXPECT_EQ(mds::Dissimilarities::of_strings(random_strings({3, 4, 5}, 3), {}, run).size(), 0);
}

}  // namespace
}  // namespace dunlin::sequences
