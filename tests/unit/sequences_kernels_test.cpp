// SPDX-License-Identifier: Apache-2.0
// The kernels of sequences for GPUs, emulated on the CPU: all pairs beside those of the CPU.
#include <dunlin/sequences.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cases/sequences.hpp"
#include "math/at.hpp"
#include "sequences/cuda.hpp"
#include "sequences/cuda/sizes.hpp"
#include "sequences/pair_distances.hpp"

#include "cases/emulated_gpu.hpp"

namespace dunlin::sequences {

inline void __syncthreads() { emulated::Block::running->wait_for_block(); }
inline int __syncthreads_or(int is_true) { return emulated::Block::running->any_of_block(is_true != 0) ? 1 : 0; }
inline void __syncwarp() { emulated::Block::running->wait_for_warp(); }
inline int emulated_lane() { return static_cast<int>(emulated::Block::thread.x % 32); }
/// The values of the lanes of the warp, with one barrier: those of the call before are in the other half.
inline const double* values_of_warp(double value) {
    static double values[2][block_threads];
    static unsigned calls[block_threads];
    const unsigned me = emulated::Block::thread.x, half = calls[me]++ % 2;
    values[half][me] = value;
    emulated::Block::running->wait_for_warp();
    return values[half] + me / 32 * 32;
}
template <class T>
T exchanged(T value, int lane) {
    return static_cast<T>(values_of_warp(static_cast<double>(value))[lane]);
}
inline bool __any_sync(unsigned, bool is_true) {
    const double* const values = values_of_warp(is_true ? 1 : 0);
    return std::any_of(values, values + 32, [](double value) { return value > 0; });
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
    return exchanged(value, emulated_lane() ^ mask);
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned lanes, int width) {
    const bool there = emulated_lane() % width >= static_cast<int>(lanes);
    return exchanged(value, there ? emulated_lane() - static_cast<int>(lanes) : emulated_lane());
}
inline void atomicOr(unsigned long long* value, unsigned long long bits) { *value |= bits; }
inline double* launch_memory() { return emulated::Block::launch_memory.data(); }

}  // namespace dunlin::sequences

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "sequences/cuda/edit.cuh"
#include "sequences/cuda/tracks.cuh"
#pragma GCC diagnostic pop

namespace dunlin::sequences {
namespace {

/// All pairs of some rows and columns, as cuda.cu launches them.
struct EmulatedPairs {
    std::vector<Index> rows, columns;
    bool upper;
    GpuPlan plan;
    std::vector<float> out;
    std::vector<double> workspace;  // aligned for doubles
    int stop = 0;

    EmulatedPairs(const std::vector<Index>& some, const std::vector<Index>& all, bool is_upper, const GpuPlan& planned,
                  unsigned blocks)
        : rows(some),
          columns(all),
          upper(is_upper),
          plan(planned),
          out(rows.size() * columns.size(), -1),
          workspace(blocks * plan.workspace / sizeof(double) + 1, std::nan("")) {}

    PairGrid grid(int lanes) {
        return {rows.data(),
                columns.data(),
                static_cast<Index>(rows.size()),
                static_cast<Index>(columns.size()),
                upper,
                lanes,
                out.data(),
                reinterpret_cast<unsigned char*>(workspace.data()),
                plan.workspace,
                &stop};
    }

    [[nodiscard]] float at(std::size_t r, std::size_t c) const { return out[r * columns.size() + c]; }
};

constexpr unsigned few_blocks = 3;  // each has several tiles

Offset longest_of_rows(const std::vector<Index>& rows, std::span<const Offset> offsets) {
    Offset longest = 0;
    for (const Index row : rows) longest = std::max(longest, offsets[at(row) + 1] - offsets[at(row)]);
    return longest;
}

void run_strings(const StringArrays& items, EmulatedPairs& pairs, bool descending) {
    const EditTable table = edit_table(longest_of_rows(pairs.rows, items.offsets), items.alphabet);
    const std::vector<std::uint16_t> slots = slots_of(items);
    const EditTask task{pairs.grid(table.lanes),
                        items.symbols.data(),
                        slots.data(),
                        items.offsets.data(),
                        items.alphabet,
                        table,
                        bytes_between_strips(longest_of(items.offsets), edit_strip, 1)};
    emulated::launch({few_blocks, 1, 1}, block_threads, table.in_shared_memory(), descending,
                     [&] { edit_kernel(task); });
}

void run_tracks(const TrackArrays& items, EmulatedPairs& pairs, bool descending) {
    const Offset rows = longest_of_rows(pairs.rows, items.offsets);
    const int lanes = lanes_for(rows, positions_of_lane);
    const TrackTask task{pairs.grid(lanes),
                         items.positions.data(),
                         items.offsets.back(),
                         items.extremes.data(),
                         items.extremes.data() + items.extremes.size() / 2,
                         items.offsets.data(),
                         items.dim,
                         items.squared,
                         items.geographic,
                         items.band,
                         items.band < longest_of(items.offsets),
                         rows_of_lane(rows, lanes),
                         pairs.plan.workspace / teams_of_strips};
    const auto launch = [&](auto kernel) {
        emulated::launch({few_blocks, 1, 1}, block_threads, 0, descending, [&] { kernel(task); });
    };
    const auto of_kind = [&]<class Kind>(Kind) {
        if (items.dim == 1) return launch(track_kernel<Kind, 1>);
        if (items.dim == 2) return launch(track_kernel<Kind, 2>);
        if (items.dim == 3) return launch(track_kernel<Kind, 3>);
        launch(track_kernel<Kind, 0>);
    };
    if (items.metric == Metric::hausdorff) return of_kind(Hausdorff{});
    if (items.metric == Metric::dtw) return of_kind(Warping{});
    of_kind(Frechet{});
}

/// Pairs of `some` and all items beside the CPU's; `rounding` is relative.
template <class Items>
void expect_cpu(const Items& items, Options options, double rounding, const std::vector<Index>& some, bool upper,
                bool descending) {
    const auto prepared = pair_distances(items, options);
    const std::vector<Index> order = prepared->order();
    const Matrix all = distances(items, options);
    const ItemArrays arrays = prepared->arrays();
    const GpuPlan plan =
        std::visit([&](const auto& each) { return gpu_plan(each, static_cast<Index>(order.size())); }, arrays);
    EmulatedPairs pairs(upper ? order : some, order, upper, plan, few_blocks);
    if (const auto* const strings = std::get_if<StringArrays>(&arrays)) {
        run_strings(*strings, pairs, descending);
    } else {
        run_tracks(std::get<TrackArrays>(arrays), pairs, descending);
    }
    for (std::size_t r = 0; r < pairs.rows.size(); ++r) {
        for (std::size_t c = 0; c < order.size(); ++c) {
            const Index i = pairs.rows[r], j = order[c];
            const auto found = static_cast<double>(pairs.at(r, c)), wanted = static_cast<double>(all.view()(i, j));
            if (upper && c <= r) {
                EXPECT_EQ(found, -1) << "nothing is written";
            } else {
                ASSERT_NEAR(found, wanted, rounding * wanted)
                    << i << ' ' << j << ' ' << items.offsets[at(i) + 1] - items.offsets[at(i)] << ' '
                    << items.offsets[at(j) + 1] - items.offsets[at(j)] << ' ' << name_of(*options.metric);
            }
        }
    }
}

/// All pairs, and some rows in another order than by length, by threads in both orders.
template <class Items>
void expect_cpu(const Items& items, const Options& options, double rounding) {
    expect_cpu(items, options, rounding, {}, true, false);
    std::vector<Index> some;
    for (Index i = items.size() - 1; i >= 0; i -= 2) some.push_back(i);
    expect_cpu(items, options, rounding, some, false, true);
}

TEST(SequencesKernels, EditDistancesAreThoseOfTheCpu) {
    for (const std::uint64_t alphabet : {1, 4, 30})
        expect_cpu(made::random_strings({0, 0, 1, 1, 2, 31, 32, 63, 64, 65, 90}, alphabet), {}, 0);
    expect_cpu(made::random_strings({0, 5, 64, 127, 128, 129, 200, 256, 257}, 5), {}, 0);
    expect_cpu(made::random_strings(std::vector<std::size_t>(150, 9), 4), {}, 0);
}

/// Alphabets whose slots, and patterns whose vectors, are not in shared memory.
TEST(SequencesKernels, LargeAlphabets) {
    Strings strings = made::random_strings({0, 3, 70, 71, 300, 301}, 1000000);
    for (std::uint32_t symbol = 0; symbol < 4300; ++symbol) strings.symbols.push_back(2000000 + symbol);
    strings.offsets.push_back(std::ssize(strings.symbols) - 1500);
    strings.offsets.push_back(std::ssize(strings.symbols));
    expect_cpu(strings, {}, 0);
}

/// Patterns of several strips.
TEST(SequencesKernels, LongStrings) {
    expect_cpu(made::random_strings({0, 10, 2048, 2049, 2500}, 3), {}, 0);
    expect_cpu(made::random_strings({2100, 2100}, 100000), {}, 0);
}

constexpr double rounding = 2e-7;  // of a float: the last double operations may differ

TEST(SequencesKernels, TrackDistancesAreThoseOfTheCpu) {
    for (const int dim : {1, 2, 3, 5}) {
        const Tracks tracks = made::random_tracks({1, 1, 2, 3, 7, 8, 9, 17, 33, 64, 65, 40}, dim);
        for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff})
            expect_cpu(tracks, {metric}, rounding);
        expect_cpu(tracks, {.metric = Metric::dtw, .cost = WarpingCost::square}, rounding);
    }
}

TEST(SequencesKernels, LongTracks) {
    const Tracks tracks = made::random_tracks({1, 256, 257, 513, 260}, 2);
    for (const Metric metric : {Metric::dtw, Metric::hausdorff}) expect_cpu(tracks, {metric}, rounding);
    for (const Index band : {0, 1, 40, 270}) expect_cpu(tracks, {.metric = Metric::frechet, .band = band}, rounding);
}

TEST(SequencesKernels, Bands) {
    const Tracks tracks = made::random_tracks({1, 2, 9, 50, 50, 64, 100, 17}, 2);
    for (const Index band : {0, 1, 2, 7, 300}) {
        expect_cpu(tracks, {.metric = Metric::dtw, .band = band}, rounding);
        expect_cpu(tracks, {.metric = Metric::frechet, .band = band}, rounding);
    }
}

TEST(SequencesKernels, DistancesOnTheSphereAreThoseOfTheCpu) {
    Tracks tracks = made::random_tracks({1, 2, 30, 45, 60}, 2, true);
    for (Offset p = tracks.offsets[3]; p < tracks.offsets[4]; ++p) tracks.positions[at(2 * p + 1)] += 150;
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff})
        expect_cpu(tracks, {metric}, rounding);
    expect_cpu(tracks, {.metric = Metric::dtw, .cost = WarpingCost::square}, rounding);
    expect_cpu(made::random_tracks(std::vector<Index>(140, 1), 2, true), {Metric::great_circle}, rounding);
}

/// Kernels end soon after a stop, and write no further results.
TEST(SequencesKernels, AStop) {
    Options options;
    const Strings strings = made::random_strings({2100, 2200}, 3);
    const auto prepared = pair_distances(strings, options);
    const auto arrays = std::get<StringArrays>(prepared->arrays());
    EmulatedPairs pairs({0}, {0, 1}, false, gpu_plan(arrays, 2), few_blocks);
    pairs.stop = 1;
    run_strings(arrays, pairs, false);
    EXPECT_EQ(pairs.out, std::vector<float>(2, -1));
}

}  // namespace
}  // namespace dunlin::sequences
