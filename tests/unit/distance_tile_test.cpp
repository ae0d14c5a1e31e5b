// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "distance/tile_variants.hpp"
#include "math/rng.hpp"

namespace dunlin::distance {
namespace {

constexpr int columns = 2 * group_columns;

std::vector<std::uint8_t> bytes(int count, std::uint64_t seed) {
    std::vector<std::uint8_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint8_t>(math::random_below(256, seed, i));
    return values;
}

/// Columns (row-major) in the order of the panels.
template <class Value>
std::vector<Value> panels_of(const std::vector<Value>& values, int dims, int cell) {
    std::vector<Value> panels(values.size());
    for (int column = 0; column < columns; ++column) {
        for (int c = 0; c < dims; ++c) {
            const int at = column / lanes * lanes * dims + c / cell * cell * lanes + column % lanes * cell + c % cell;
            panels[static_cast<std::size_t>(at)] = values[static_cast<std::size_t>(column * dims + c)];
        }
    }
    return panels;
}

/// The result equals that of the definition, in order.
template <class Value, class Definition>
void expect_hits(const Hits& hits, const std::vector<Value>& x, const std::vector<Value>& y, int dims,
                 const Definition& passes) {
    for (int r = 0; r < group_rows; ++r) {
        std::vector<int> expected, found;
        for (int column = 0; column < columns; ++column) {
            if (passes(x.data() + column * dims, y.data() + r * dims, r)) expected.push_back(column);
        }
        for (int h = 0; h < hits.count[r]; ++h) found.push_back(hits.columns[r][h]);
        EXPECT_EQ(found, expected) << "row " << r << ", " << dims << " dims";
        if (r > 0) {
            EXPECT_FALSE(found.empty());
        }
    }
}

template <class Scan>
void check_dots(const Scan& scan) {
    for (const int dims : {4, 8, 52, 96, 160}) {
        const auto x = bytes(columns * dims, 1), y = bytes(group_rows * dims, 2), panels = panels_of(x, dims, 4);
        std::vector<std::int32_t> starts, least;
        for (int column = 0; column < columns; ++column) {
            starts.push_back(sums_of(x.data() + column * dims, dims).squares / 2);
        }
        std::vector<std::int8_t> rows(y.size());
        to_signed(y.data(), group_rows * dims, rows.data());
        const auto reach = [&](int r) { return r == 0 ? 0.0 : 100.0 * std::sqrt(dims) + 3.0 * r; };
        for (int r = 0; r < group_rows; ++r) least.push_back(least_dot(sums_of(y.data() + r * dims, dims), reach(r)));
        Hits hits{};
        scan({panels.data(), columns, dims}, starts.data(), rows.data(), least.data(), hits);
        // The threshold may pass slightly more, never less; compare at the threshold itself
        expect_hits(hits, x, y, dims, [&](const std::uint8_t* a, const std::uint8_t* b, int r) {
            std::int32_t product = 0, squares = 0;
            for (int c = 0; c < dims; ++c) {
                product += int{a[c]} * (int{b[c]} - 128);
                squares += (int{a[c]} - 128) * (int{a[c]} - 128);
            }
            return product - squares / 2 >= least[static_cast<std::size_t>(r)];
        });
        for (int r = 0; r < group_rows; ++r) {
            for (int column = 0; column < columns; ++column) {
                double squares = 0;
                for (int c = 0; c < dims; ++c) {
                    const double d = double{1} * x[static_cast<std::size_t>(column * dims + c)] -
                                     y[static_cast<std::size_t>(r * dims + c)];
                    squares += d * d;
                }
                const std::uint16_t* begin = hits.columns[r];
                const std::uint16_t* end = begin + hits.count[r];
                if (squares <= reach(r) * reach(r)) {
                    EXPECT_NE(std::find(begin, end, column), end);
                }
            }
        }
    }
}

template <class Scan>
void check_absolute_bytes(const Scan& scan) {
    for (const int dims : {8, 16, 56, 200}) {
        const auto x = bytes(columns * dims, 3), y = bytes(group_rows * dims, 4), panels = panels_of(x, dims, 8);
        std::vector<std::int32_t> most;
        for (int r = 0; r < group_rows; ++r) most.push_back(r == 0 ? -1 : 84 * dims + 10 * r);
        Hits hits{};
        scan({panels.data(), columns, dims}, y.data(), most.data(), hits);
        expect_hits(hits, x, y, dims, [&](const std::uint8_t* a, const std::uint8_t* b, int r) {
            std::int32_t sum = 0;
            for (int c = 0; c < dims; ++c) sum += std::abs(int{a[c]} - int{b[c]});
            return sum <= most[static_cast<std::size_t>(r)];
        });
    }
}

template <class Scan>
void check_floats(const Scan& scan, bool squares) {
    for (const int dims : {1, 2, 3, 4}) {
        std::vector<float> x, y, most;
        for (const std::uint8_t v : bytes(columns * dims, 5)) x.push_back(v);
        for (const std::uint8_t v : bytes(group_rows * dims, 6)) y.push_back(v);
        for (int r = 0; r < group_rows; ++r) {
            const float reach = 120.0F + static_cast<float>(r);
            most.push_back(r == 0 ? -1.0F : (squares ? reach * reach : reach * 2));
        }
        const auto panels = panels_of(x, dims, 1);
        Hits hits{};
        scan({panels.data(), columns, dims}, y.data(), most.data(), hits);
        expect_hits(hits, x, y, dims, [&](const float* a, const float* b, int r) {
            float sum = 0;
            for (int c = 0; c < dims; ++c) sum += squares ? (a[c] - b[c]) * (a[c] - b[c]) : std::abs(a[c] - b[c]);
            return sum <= most[static_cast<std::size_t>(r)];
        });
    }
}

template <class Dots>
void check_products(const Dots& dots) {
    for (const int dims : {64, 128, 832}) {
        const auto x = bytes(9 * dims, 7), y = bytes(dims, 8);
        std::vector<std::int8_t> row(y.size());
        to_signed(y.data(), dims, row.data());
        const std::vector<std::uint16_t> asked{8, 0, 3, 3, 7};
        std::vector<std::int64_t> found(asked.size());
        dots(x.data(), dims, asked, row.data(), found.data());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            std::int64_t sum = 0;
            for (int c = 0; c < dims; ++c) {
                sum +=
                    int{x[static_cast<std::size_t>(asked[i] * dims + c)]} * (int{y[static_cast<std::size_t>(c)]} - 128);
            }
            EXPECT_EQ(found[i], sum);
        }
    }
}

using Bytes = const ColumnBlock<std::uint8_t>&;
using Floats = const ColumnBlock<float>&;

TEST(NeighborTiles, PlainLoopsFollowTheDefinition) {
    check_dots([](Bytes b, auto s, auto r, auto l, Hits& h) { plain::scan_dots(b, s, r, l, h); });
    check_absolute_bytes([](Bytes b, auto r, auto m, Hits& h) { plain::scan_absolute(b, r, m, h); });
    check_floats([](Floats b, auto r, auto m, Hits& h) { plain::scan_squares(b, r, m, h); }, true);
    check_floats([](Floats b, auto r, auto m, Hits& h) { plain::scan_absolute(b, r, m, h); }, false);
    check_products([](auto... arguments) { plain::dots(arguments...); });
}

TEST(NeighborTiles, ThisProcessorsLoopsFollowTheDefinition) {
    check_dots([](Bytes b, auto s, auto r, auto l, Hits& h) { scan_dots(b, s, r, l, h); });
    check_absolute_bytes([](Bytes b, auto r, auto m, Hits& h) { scan_absolute(b, r, m, h); });
    check_floats([](Floats b, auto r, auto m, Hits& h) { scan_squares(b, r, m, h); }, true);
    check_floats([](Floats b, auto r, auto m, Hits& h) { scan_absolute(b, r, m, h); }, false);
    check_products([](auto... arguments) { dots(arguments...); });
}

}  // namespace
}  // namespace dunlin::distance
