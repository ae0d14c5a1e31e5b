// SPDX-License-Identifier: Apache-2.0
// Distances of strings and tracks on the GPU beside the CPU: edit distances are equal, the others agree to rounding.
#include <dunlin/sequences.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/kmedoids.hpp>
#include <dunlin/mds.hpp>

#include "agree.hpp"
#include "cases/sequences.hpp"
#include "refusal.hpp"
#include "sequences/pair_distances.hpp"

namespace dunlin::sequences {
namespace {

std::vector<float> values_of(const Matrix& matrix) {
    const float* const values = matrix.view().data;
    return {values, values + matrix.view().size()};
}

/// Rounding of a float, where the last operations in double differ.
constexpr double rounding = 2e-7;

template <class Items>
void expect_cpu(const Items& items, const Options& options, double tolerance) {
    const Matrix cpu = distances(items, options, agree::on(Device::cpu)),
                 gpu = distances(items, options, agree::on(Device::cuda));
    const std::string what = std::to_string(items.size()) + " items, " +
                             std::string(name_of(options.metric.value_or(Metric::edit))) + ", band " +
                             std::to_string(options.band.value_or(-1));
    ASSERT_EQ(gpu.rows(), cpu.rows()) << what;
    double most = 0;
    for (Index i = 0; i < cpu.rows(); ++i) {
        for (Index j = 0; j < cpu.rows(); ++j) {
            const auto found = static_cast<double>(gpu.view()(i, j)), wanted = static_cast<double>(cpu.view()(i, j));
            ASSERT_NEAR(found, wanted, tolerance * wanted) << what << ", " << i << ' ' << j;
            if (wanted > 0) most = std::max(most, std::abs(found - wanted) / wanted);
        }
    }
    if (tolerance > 0) ::testing::Test::RecordProperty("largest relative difference", std::to_string(most));
}

/// Lengths from 0 on, some of them twice.
std::vector<std::size_t> lengths_up_to(std::size_t most, Index count) {
    std::vector<std::size_t> lengths;
    for (std::uint64_t i = 0; lengths.size() < static_cast<std::size_t>(count); ++i)
        lengths.push_back(made::drawn(most + 1, i, 77));
    return lengths;
}

std::vector<Index> track_lengths(std::size_t most, Index count) {
    std::vector<Index> lengths;
    for (const std::size_t length : lengths_up_to(most - 1, count)) lengths.push_back(static_cast<Index>(length) + 1);
    return lengths;
}

TEST(CudaSequences, EditDistancesAreThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({0, 1, 2, 31, 32, 33, 1000, 3000})) {
        for (const std::uint64_t alphabet : {1, 4, 100}) {
            expect_cpu(made::random_strings(lengths_up_to(20, n), alphabet), {}, 0);
            expect_cpu(made::random_strings(lengths_up_to(200, n), alphabet), {}, 0);
        }
    }
    expect_cpu(made::random_strings(std::vector<std::size_t>(300, 0), 2), {}, 0);
}

/// Of all team sizes; slots of symbols, and vectors, in shared and in device memory.
TEST(CudaSequences, EditDistancesOfLongStringsAndLargeAlphabets) {
    DUNLIN_NEEDS_GPU();
    for (const std::uint64_t alphabet : {3, 5000, 1000000})
        expect_cpu(made::random_strings(lengths_up_to(1500, 120), alphabet), {}, 0);
    for (const std::uint64_t alphabet : {3, 1000000}) {
        expect_cpu(made::random_strings({0, 10, 2047, 2048, 2049, 2048, 4095, 4096, 4097, 9000}, alphabet), {}, 0);
        if (!agree::only_small()) expect_cpu(made::random_strings({70001, 70000, 3000, 0, 65536}, alphabet), {}, 0);
    }
}

TEST(CudaSequences, TrackDistancesAreThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3, 5}) {
        for (const Index n : agree::sizes({0, 1, 2, 31, 32, 33, 500})) {
            const Tracks tracks = made::random_tracks(track_lengths(n > 100 ? 60 : 150, n), dim);
            for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff})
                expect_cpu(tracks, {metric}, rounding);
            expect_cpu(tracks, {.metric = Metric::dtw, .cost = WarpingCost::square}, rounding);
        }
    }
}

/// Several strips of rows.
TEST(CudaSequences, LongTracks) {
    DUNLIN_NEEDS_GPU();
    const Index longest = agree::only_small() ? 700 : 6000;
    const Tracks tracks = made::random_tracks({1, 255, 256, 257, 300, 513, 513, longest, 40, longest + 1}, 2);
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff})
        expect_cpu(tracks, {metric}, rounding);
}

TEST(CudaSequences, Bands) {
    DUNLIN_NEEDS_GPU();
    const Tracks tracks = made::random_tracks(track_lengths(600, 40), 2);
    for (const Index band : {0, 1, 2, 7, 100, 300, 1000}) {
        expect_cpu(tracks, {.metric = Metric::dtw, .band = band}, rounding);
        expect_cpu(tracks, {.metric = Metric::frechet, .band = band}, rounding);
    }
}

TEST(CudaSequences, DistancesOnTheSphere) {
    DUNLIN_NEEDS_GPU();
    Tracks tracks = made::random_tracks(track_lengths(100, 60), 2, true);
    for (Offset p = tracks.offsets[20]; p < tracks.offsets[40]; ++p)  // continents apart: no series of the arc
        tracks.positions[static_cast<std::size_t>(2 * p + 1)] += 150;
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff})
        expect_cpu(tracks, {metric}, rounding);
    expect_cpu(tracks, {.metric = Metric::dtw, .cost = WarpingCost::square}, rounding);
    for (const Index n : agree::sizes({1, 33, 3000}))
        expect_cpu(made::random_tracks(std::vector<Index>(static_cast<std::size_t>(n), 1), 2, true),
                   {Metric::great_circle}, rounding);
}

/// Rows on demand have the bytes of the matrix, in any order of the rows, also where an item is asked for twice.
template <class Items>
void expect_rows(const Items& items, Options options) {
    const dunlin::Run on_gpu = agree::on(Device::cuda);
    const auto pairs = pair_distances(items, options);
    const Matrix all = distances(items, options, on_gpu);
    std::vector<Index> some{items.size() - 1, 3, 0, 3, items.size() / 2};
    std::vector<std::vector<float>> rows(some.size(), std::vector<float>(static_cast<std::size_t>(items.size()), -1));
    std::vector<float*> targets;
    for (auto& row : rows) targets.push_back(row.data());
    device::Cpu cpu;
    fill_rows_on_gpu(cpu, *pairs, some, targets, on_gpu);
    for (std::size_t r = 0; r < some.size(); ++r) {
        const auto row = all.row(some[r]);
        EXPECT_EQ(rows[r], std::vector<float>(row.begin(), row.end())) << r;
    }
}

TEST(CudaSequences, RowsOnDemandAreThoseOfTheMatrix) {
    DUNLIN_NEEDS_GPU();
    expect_rows(made::random_strings(lengths_up_to(300, 200), 20), {});
    const Tracks tracks = made::random_tracks(track_lengths(400, 60), 2);
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff}) expect_rows(tracks, {metric});
    expect_rows(tracks, {.metric = Metric::dtw, .band = 5});
}

TEST(CudaSequences, TheSameBytesInEveryRun) {
    DUNLIN_NEEDS_GPU();
    const Tracks tracks = made::random_tracks(track_lengths(100, 200), 2);
    const auto first = values_of(distances(tracks, {Metric::dtw}, agree::on(Device::cuda)));
    EXPECT_EQ(values_of(distances(tracks, {Metric::dtw}, agree::on(Device::cuda))), first);
}

TEST(CudaSequences, MapsAndMedoidsOfStrings) {
    DUNLIN_NEEDS_GPU();
    const Strings strings = made::random_strings(lengths_up_to(60, 400), 5);
    const dunlin::Run on_gpu = agree::on(Device::cuda), on_cpu = agree::on(Device::cpu);
    const auto by_gpu = mds::Dissimilarities::of_strings(strings, {}, on_gpu),
               by_cpu = mds::Dissimilarities::of_strings(strings, {}, on_cpu),
               on_demand = mds::Dissimilarities::of_strings(strings, {.pairs = Pairs::on_demand}, on_gpu);
    EXPECT_EQ(by_gpu.gpu(), 0);
    EXPECT_EQ(on_demand.gpu(), 0);
    EXPECT_EQ(values_of(by_gpu.values()), values_of(by_cpu.values()));
    const kmedoids::Result cpu = kmedoids::cluster(by_cpu, {.clusters = 7}, on_cpu);
    for (const auto& items : {by_gpu, on_demand}) {
        const kmedoids::Result gpu = kmedoids::cluster(items, {.clusters = 7}, on_gpu);
        EXPECT_EQ(gpu.labels, cpu.labels);
        EXPECT_EQ(gpu.device, Device::cuda);
        EXPECT_EQ(gpu.gpus, std::vector{0});
    }
    const mds::Result map = mds::place(on_demand, {}, on_gpu);
    EXPECT_EQ(map.device, Device::cuda);
    const auto stress = [&](const mds::Result& result) {
        return mds::stress(by_cpu, result.map, {}, on_cpu).normalized_stress.value;
    };
    EXPECT_LT(stress(map), 1.1 * stress(mds::place(by_cpu, {}, on_cpu)));
}

/// Of several GPUs the first is taken, here twice the same.
TEST(CudaSequences, TheFirstOfSeveralGpus) {
    DUNLIN_NEEDS_GPU();
    const Tracks tracks = made::random_tracks(track_lengths(50, 100), 2);
    const dunlin::Run on_gpu = agree::on(Device::cuda);
    dunlin::Run on_two = on_gpu;
    on_two.gpus = {0, 0};
    EXPECT_EQ(values_of(distances(tracks, {}, on_two)), values_of(distances(tracks, {}, on_gpu)));
    const auto items = mds::Dissimilarities::of_tracks(tracks, {}, on_two);
    const kmedoids::Result two = kmedoids::cluster(items, {.clusters = 4}, on_two);
    EXPECT_EQ(two.labels, kmedoids::cluster(items, {.clusters = 4}, on_gpu).labels);
    EXPECT_EQ(two.gpus, std::vector{0});
}

/// Seconds from a request to stop until distances() returns, without a result.
template <class Items>
double seconds_to_stop(const Items& items, const Options& options) {
    using Clock = std::chrono::steady_clock;
    std::stop_source stop;
    dunlin::Run run = agree::on(Device::cuda);
    run.stop = stop.get_token();
    Clock::time_point requested;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        requested = Clock::now();
        stop.request_stop();
    });
    const Matrix found = distances(items, options, run);
    const Clock::time_point ended = Clock::now();
    other.join();
    EXPECT_EQ(found.rows(), 0);
    return std::chrono::duration<double>(ended - requested).count();
}

/// Also inside a pair that takes minutes.
TEST(CudaSequences, StopsWithinAQuarterOfASecond) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "kernels are slowed";
    distances(made::random_strings({5, 6}, 3), {}, agree::on(Device::cuda));  // the first use of a GPU takes a while
    EXPECT_LT(seconds_to_stop(made::random_strings({1000000, 1000000}, 4), {}), 0.25);
    EXPECT_LT(seconds_to_stop(made::random_strings({500000, 500000}, 100000), {}), 0.25);
    const Tracks two = made::random_tracks({1000000, 1000000}, 2);
    for (const Metric metric : {Metric::dtw, Metric::frechet, Metric::hausdorff})
        EXPECT_LT(seconds_to_stop(two, {metric}), 0.25) << name_of(metric);
    EXPECT_LT(seconds_to_stop(made::random_tracks(std::vector<Index>(3000, 900), 2), {Metric::dtw}), 0.25);
}

TEST(CudaSequences, TooLittleMemory) {
    DUNLIN_NEEDS_GPU();
    const Strings strings = made::random_strings({100000, 100000}, 4);
    dunlin::Run run = agree::on(Device::cuda);
    run.memory = 500000;
    const std::string said = refusal(Fault::out_of_memory, [&] { distances(strings, {}, run); });
    EXPECT_NE(said.find("computing distances of these sequences needs"), std::string::npos) << said;
}

}  // namespace
}  // namespace dunlin::sequences
