// Several starts, and bounds on the stress of the result.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <thread>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "math/rng.hpp"

namespace dunlin::mds {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Symmetric matrix; law(i, j) for i > j.
template <class Law>
std::vector<float> made(Index n, const Law& law) {
    std::vector<float> delta(static_cast<std::size_t>(n * n), 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            delta[static_cast<std::size_t>(i * n + j)] = delta[static_cast<std::size_t>(j * n + i)] =
                static_cast<float>(law(i, j));
        }
    }
    return delta;
}

Dissimilarities items_of(Index n, std::vector<float> delta) {
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(delta)));
}

double uniform(Index i, Index j) {
    return math::random_uniform(3, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
}

/// A coordinate from a heavy-tailed distribution.
double tailed(Index i, int c) {
    return std::exp(1.5 * math::random_normal(5, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c)));
}
double apart(Index i, Index j) { return std::hypot(tailed(i, 0) - tailed(j, 0), tailed(i, 1) - tailed(j, 1)); }

struct Case {
    const char* name;
    Dissimilarities items;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](const char* name, Index n, const auto& law) {
        all.push_back({name, items_of(n, made(n, law))});
    };
    add("random", 40, [](Index i, Index j) { return 1 + uniform(i, j); });
    add("nearly flat, long tails", 100, [](Index i, Index j) { return apart(i, j) * (1 + 1e-5 * uniform(i, j)); });
    add("a line", 60,
        [](Index i, Index j) { return tailed(i, 0) + tailed(j, 0) - 2 * std::min(tailed(i, 0), tailed(j, 0)); });
    add("ultrametric", 32, [](Index i, Index j) { return std::bit_width(static_cast<unsigned>(i ^ j)); });
    add("simplex", 100, [](Index, Index) { return 1; });
    add("twins", 30, [](Index i, Index j) { return apart(i / 2, j / 2); });
    add("one place", 10, [](Index, Index) { return 0; });
    add("two", 2, [](Index, Index) { return 3; });
    add("three", 3, [](Index i, Index j) { return i + j; });
    return all;
}

bool same_bytes(const Map& a, const Map& b) {
    return a.coordinates.size() == b.coordinates.size() &&
           std::memcmp(a.coordinates.data(), b.coordinates.data(), a.coordinates.size() * sizeof(float)) == 0;
}

/// The stress that the report contains.
double score(const Dissimilarities& items, const Map& map, Transform transform, const Matrix* weights = nullptr) {
    if (transform != Transform::ratio) return transformed_stress1(items, map, transform, weights);
    if (weights != nullptr) return weighted_stress(items, map, *weights);
    return stress(items, map).normalized_stress.value;
}

struct Kind {
    Method method;
    Transform transform;
};
constexpr Kind kinds[] = {{Method::dunlin, Transform::ratio},
                          {Method::smacof, Transform::ratio},
                          {Method::smacof, Transform::interval},
                          {Method::smacof, Transform::ordinal}};

Matrix some_weights(Index n) {
    return {n, n, made(n, [](Index i, Index j) { return 1 + (i + 2 * j) % 4; })};
}

TEST(MdsStarts, NoMapIsWorseThanClassicalScaling) {
    for (const Case& c : cases()) {
        const Map axes = place(c.items, {.method = Method::classical}).map;
        const Matrix weights = some_weights(c.items.size());
        for (const Kind& kind : kinds) {
            for (const Matrix* w : {static_cast<const Matrix*>(nullptr), &weights}) {
                for (const int starts : {1, 3}) {
                    const Result r =
                        place(c.items, {.method = kind.method, .starts = starts, .transform = kind.transform}, {},
                              {.weights = w});
                    EXPECT_LE(score(c.items, r.map, kind.transform, w), score(c.items, axes, kind.transform, w))
                        << c.name << ' ' << name_of(kind.method) << ' ' << name_of(kind.transform) << starts;
                }
            }
        }
    }
}

TEST(MdsStarts, NoMapIsWorseThanItsStart) {
    for (const Case& c : cases()) {
        const Index n = c.items.size();
        for (const Kind& kind : kinds) {
            // A good start that can hardly be improved, and one that can
            const Map good = place(c.items, {.method = kind.method, .starts = 5, .transform = kind.transform}).map;
            Map bad{2, {}};
            for (Index k = 0; k < 2 * n; ++k) bad.coordinates.push_back(static_cast<float>(uniform(k, 0)));
            for (const Map* start : {&good, static_cast<const Map*>(&bad)}) {
                const Result r =
                    place(c.items, {.method = kind.method, .transform = kind.transform}, {}, {.start = start});
                EXPECT_LE(score(c.items, r.map, kind.transform), score(c.items, *start, kind.transform))
                    << c.name << ' ' << name_of(kind.method) << ' ' << name_of(kind.transform);
                EXPECT_EQ(r.starts.tried, 1);
            }
        }
    }
}

TEST(MdsStarts, MissingPairsAllowSeveralStarts) {
    const Index n = 50;
    const auto items = items_of(
        n, made(n, [](Index i, Index j) { return (i + j) % 7 == 0 ? static_cast<double>(nan) : apart(i, j); }));
    for (const Kind& kind : kinds) {
        const Map start = place(items, {.method = kind.method, .starts = 4, .transform = kind.transform}).map;
        const Map end = place(items, {.method = kind.method, .transform = kind.transform}, {}, {.start = &start}).map;
        EXPECT_LE(score(items, end, kind.transform), score(items, start, kind.transform)) << name_of(kind.transform);
    }
    const auto best_attempt = [&](int starts) {
        return score(items, place(items, {.method = Method::smacof, .starts = starts}).map, Transform::ratio);
    };
    EXPECT_LE(best_attempt(16), best_attempt(1));
}

TEST(MdsStarts, OrderOfANearlyFlatSetWithLongTailsIsFound) {
    const auto items =
        items_of(150, made(150, [](Index i, Index j) { return apart(i, j) * (1 + 1e-5 * uniform(i, j)); }));
    const Map map = place(items, {.method = Method::smacof, .transform = Transform::ordinal}).map;
    EXPECT_LE(transformed_stress1(items, map, Transform::ordinal), 1e-4);
}

TEST(MdsStarts, MoreStartsOfSmacofAreNoWorse) {
    const auto items = items_of(45, made(45, [](Index i, Index j) { return 0.5 + uniform(i, j); }));
    std::set<double> ends;
    double before = std::numeric_limits<double>::infinity();
    for (const int starts : {1, 2, 8, 16}) {
        const Result r = place(items, {.method = Method::smacof, .starts = starts});
        const double now = score(items, r.map, Transform::ratio);
        EXPECT_LE(now, before * (1 + 1e-6)) << starts;
        EXPECT_EQ(r.starts.tried, starts);
        EXPECT_LT(r.starts.won, starts);
        before = now;
        ends.insert(now);
    }
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
        const Options o{.method = Method::smacof, .start = Start::random};
        ends.insert(score(items, place(items, o, {.seed = seed}).map, Transform::ratio));
    }
    EXPECT_GT(ends.size(), 1U);  // such data have many
}

TEST(MdsStarts, TheSameBytesForAnyNumberOfThreads) {
    const auto items = items_of(70, made(70, [](Index i, Index j) { return 0.5 + uniform(i, j); }));
    for (const Kind& kind : kinds) {
        const auto with = [&](int threads) {
            return place(items, {.method = kind.method, .transform = kind.transform}, {.threads = threads});
        };
        const Result one = with(1);
        for (const int threads : {2, 5}) {
            const Result many = with(threads);
            EXPECT_TRUE(same_bytes(one.map, many.map)) << name_of(kind.method) << name_of(kind.transform);
            EXPECT_EQ(one.starts.won, many.starts.won);
            EXPECT_EQ(one.iterations, many.iterations);
        }
    }
}

TEST(MdsStarts, DefaultNumber) {
    const auto tried = [](Index n, Options o, const Given& given = {}) {
        o.iterations = 1;
        const Result r = place(items_of(n, made(n, apart)), o, {}, given);
        EXPECT_EQ(r.options.starts, r.starts.tried);
        return r.starts.tried;
    };
    const Map start{2, std::vector<float>(10, 1.0F)};
    for (const Method method : {Method::dunlin, Method::smacof}) {
        EXPECT_EQ(tried(500, {.method = method}), 16);
        EXPECT_EQ(tried(501, {.method = method}), 1);
        EXPECT_EQ(tried(20, {.method = method, .start = Start::random}), 1);
        EXPECT_EQ(tried(20, {.method = method, .start = Start::random, .starts = 5}), 5);
        EXPECT_EQ(tried(600, {.method = method, .starts = 2}), 2);
        EXPECT_EQ(tried(5, {.method = method}, {.start = &start}), 1);
        EXPECT_THROW(tried(5, {.method = method, .starts = 2}, {.start = &start}), Error);
        EXPECT_THROW(tried(5, {.method = method, .starts = 0}), Error);
    }
    EXPECT_THROW(place(items_of(5, made(5, apart)), {.method = Method::classical, .starts = 2}), Error);
}

TEST(MdsStarts, ZeroOneAndTwoItems) {
    for (Index n = 0; n <= 2; ++n) {
        for (const Kind& kind : kinds) {
            const Result r = place(items_of(n, made(n, apart)), {.method = kind.method, .transform = kind.transform});
            EXPECT_EQ(r.map.size(), n);
            for (const float y : r.map.coordinates) EXPECT_TRUE(std::isfinite(y));
        }
    }
}

TEST(MdsStarts, ACancellationEndsThemAndTheCallersThreadReportsProgress) {
    const auto items = items_of(200, made(200, [](Index i, Index j) { return 0.5 + uniform(i, j); }));
    for (const Kind& kind : kinds) {
        for (const int calls : {1, 3}) {
            std::stop_source source;
            int told = 0;
            dunlin::Run run{.threads = 2, .stop = source.get_token()};
            run.on_progress = [&, caller = std::this_thread::get_id()](const Progress& p) {
                EXPECT_EQ(std::this_thread::get_id(), caller);
                EXPECT_LE(p.done, p.total);
                if (++told == calls) source.request_stop();
            };
            const Options o{.method = kind.method, .tolerance = 0.0, .transform = kind.transform};
            const Result r = place(items, o, run);
            EXPECT_EQ(r.stopped, Stopped::cancelled) << name_of(kind.method) << name_of(kind.transform) << calls;
            ASSERT_EQ(r.map.size(), 200);
            for (const float y : r.map.coordinates) ASSERT_TRUE(std::isfinite(y));
        }
    }
}

TEST(MdsStarts, AMapInOnePlaceHasAStressOfOne) {
    const Map together{2, std::vector<float>(8, 1.0F)};
    const auto unlike = items_of(4, made(4, [](Index, Index) { return 1; })),
               alike = items_of(4, made(4, [](Index, Index) { return 0; }));
    for (const Transform transform : {Transform::ratio, Transform::interval, Transform::ordinal}) {
        EXPECT_EQ(transformed_stress1(unlike, together, transform), 1) << name_of(transform);
        EXPECT_EQ(transformed_stress1(alike, together, transform), 0) << name_of(transform);
    }
}

}  // namespace
}  // namespace dunlin::mds
