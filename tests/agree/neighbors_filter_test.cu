// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "agree/agree.hpp"
#include "cases/neighbors.hpp"
#include "device/points.cuh"
#include "neighbors/cuda/filter.cuh"
#include "neighbors/cuda/reach.cuh"

/// Lists of the tensor cores' candidate filter, and their square distances.
namespace dunlin::neighbors {
namespace {

/// Rows of halves as doubles.
std::vector<double> halves_of(device::Cuda& cuda, const FilterRows& rows) {
    std::vector<double> values;
    for (const __half value : cuda.host(rows.values)) values.push_back(static_cast<double>(__half2float(value)));
    return values;
}

double square_between(const double* x, const double* y, Index cols) {
    double square = 0;
    for (Index c = 0; c < cols; ++c) square += (x[c] - y[c]) * (x[c] - y[c]);
    return square;
}

/// Listed square distances are lower bounds of those of the halves, and not much smaller; all rows within a query's
/// limit are listed. On rows that are far from the middle relative to their distances, whose products cancel.
void expect_lower_bounds(Index cols, float spread) {
    SCOPED_TRACE(testing::Message() << cols << " columns, spread " << spread);
    const Index rows = 1024, sampled = 128;
    const Data data =
        make(rows, cols, [&](Index r, Index c) { return 3 * bell(13, r % 3, c) + spread * bell(14, r, c); });
    device::Cuda cuda{dunlin::Run{}};
    const device::DevicePoints points = device::hold_points(cuda, data.view());
    const DeviceRows all{.values = points.rows.data(), .count = rows, .cols = cols};
    const distance::HalfFrame frame = find_frame(cuda, all);
    device::CudaBuffer<Index> order;
    FilterRows base, queries;
    order_base(cuda, rows, order);
    round_base(cuda, all, order, frame, base);
    round_queries(cuda, all, nullptr, rows, frame, queries);
    CandidateLists lists;
    lists.capacity = rows;
    cuda.resize(lists.entries, static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows));
    cuda.fill(lists.counts, static_cast<std::size_t>(rows), static_cast<int>(sampled));
    Reach reach;
    reset(cuda, rows, reach);
    list_all(cuda, queries, base, {}, tiles_of(sampled), lists);
    tighten(cuda, sampled / 3, base, queries, lists, reach);
    filter_candidates(cuda, queries, reach.limits.data(), base, {}, sampled / base_tile, tiles_of(rows), lists);

    const auto x = halves_of(cuda, queries), y = halves_of(cuda, base);
    const auto items = cuda.host(order);
    const auto counts = cuda.host(lists.counts);
    const auto entries = cuda.host(lists.entries);
    const auto limits = cuda.host(reach.limits), errors = cuda.host(base.errors);
    const auto squares = cuda.host(queries.squares), other = cuda.host(base.squares);
    Offset too_long = 0, too_short = 0, missing = 0;
    for (std::size_t q = 0; q < 1024; q += 7) {
        std::vector<float> listed(1024, -1.0F);
        for (std::size_t i = 0; i < static_cast<std::size_t>(counts[q]); ++i) {
            const Entry entry = entries[q * 1024 + i];
            listed[entry & 0xffffffffU] = std::bit_cast<float>(static_cast<unsigned>(entry >> 32));
        }
        for (std::size_t p = 0; p < 1024; ++p) {
            const double square = square_between(&x[q * static_cast<std::size_t>(queries.width)],
                                                 &y[p * static_cast<std::size_t>(base.width)], cols);
            const auto length = static_cast<double>(listed[static_cast<std::size_t>(items[p])]);
            const double reached = static_cast<double>(limits[q]) + static_cast<double>(errors[p]);
            const double all_squares =
                static_cast<double>(squares[q]) + static_cast<double>(other[p]) + reached * reached;
            missing += length < 0 && square <= reached * reached ? 1 : 0;
            too_long += length > square * (1 + 1e-6) ? 1 : 0;
            too_short += length >= 0 && length < square - 4.1 * queries.slack * all_squares - 1e-3 ? 1 : 0;
        }
    }
    EXPECT_EQ(missing, 0);
    EXPECT_EQ(too_long, 0);
    EXPECT_EQ(too_short, 0);
}

TEST(CudaNeighbors, LengthsInHalvesAreNeverTooLong) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {3, 50, 784, 3000}) {
        for (const float spread : {1.0F, 0.01F}) expect_lower_bounds(cols, spread);
    }
}

}  // namespace
}  // namespace dunlin::neighbors
