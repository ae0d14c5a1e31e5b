// SPDX-License-Identifier: Apache-2.0
#include "device/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/neighbors.hpp"
#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "math/ordered_sum.hpp"
#include "progress/progress.hpp"

namespace dunlin::device {

namespace {

constexpr int counts_of_ranks[] = {1, 2, 3, 8};

Run run_with(int ranks) {
    dunlin::Run run{.device = Device::cpu};
    run.gpus.resize(static_cast<std::size_t>(ranks));
    std::iota(run.gpus.begin(), run.gpus.end(), 0);
    return run;
}

std::string message_of(const dunlin::Run& run, const std::function<void(const dunlin::Run&)>& work) {
    try {
        run_on_ranks(run, work);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Ranks, SlicesCoverTheItemsWithoutOverlap) {
    for (const int count : counts_of_ranks) {
        run_on_ranks(run_with(count), [&](const dunlin::Run&) {
            const Rank& rank = *Rank::current();
            ASSERT_EQ(rank.count(), count);
            for (const Offset n : {0, 1, 2, 7, 8, 9, 1000}) {
                Offset at = 0;
                for (int r = 0; r < count; ++r) {
                    EXPECT_EQ(rank.slice_of(r, n).begin, at);
                    EXPECT_LE(rank.slice_of(r, n).size(), n / count + 1);
                    at = rank.slice_of(r, n).end;
                }
                EXPECT_EQ(at, n);
            }
        });
    }
    EXPECT_EQ(Rank::current(), nullptr);
}

TEST(Ranks, EachHasItsGpuAndAShareOfTheThreads) {
    dunlin::Run run = run_with(3);
    run.gpus = {4, 0, 2};
    run.threads = 3;
    int reports = 0;
    run.on_progress = [&](const Progress&) { ++reports; };
    run_on_ranks(run, [&](const dunlin::Run& own) {
        const int index = Rank::current()->index();
        EXPECT_EQ(own.gpus, std::vector{run.gpus[static_cast<std::size_t>(index)]});
        EXPECT_EQ(own.threads, 1);
        EXPECT_EQ(own.on_progress != nullptr, index == 0);
        progress::ProgressReporter(own, "neighbors", 1).tick(1);
    });
    const std::vector<GpuUse> uses = last_gpu_use();
    EXPECT_EQ(reports, 2);  // of rank 0 alone
    ASSERT_EQ(uses.size(), 3U);
    for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_EQ(uses[r].gpu, run.gpus[r]);
        EXPECT_EQ(uses[r].received, 0U);
        EXPECT_GE(uses[r].seconds, uses[r].waited);
    }
}

TEST(Ranks, ValuesOfAllAreInTheirOrder) {
    for (const int count : counts_of_ranks) {
        run_on_ranks(run_with(count), [&](const dunlin::Run&) {
            Rank& rank = *Rank::current();
            for (int round = 0; round < 30; ++round) {
                const std::vector<int> all = rank.from_all(rank.index() * 1000 + round);
                ASSERT_EQ(std::ssize(all), count);
                for (int r = 0; r < count; ++r) ASSERT_EQ(all[static_cast<std::size_t>(r)], r * 1000 + round);
                EXPECT_EQ(rank.any(rank.index() == round % (2 * count)), round % (2 * count) < count);
            }
        });
    }
}

TEST(Ranks, GatherGivesEveryRankAllSlices) {
    for (const int count : counts_of_ranks) {
        for (const Offset n : {0, 1, 5, 8, 1001}) {
            run_on_ranks(run_with(count), [&](const dunlin::Run& run) {
                Rank& rank = *Rank::current();
                Cpu cpu(run);
                std::vector<double> values(static_cast<std::size_t>(n), -1);
                const Slice own = rank.slice(n);
                for (Offset i = own.begin; i < own.end; ++i)
                    values[static_cast<std::size_t>(i)] = static_cast<double>(i);
                all_gather(cpu, rank, values.data(), slice_borders(rank, n));
                for (Offset i = 0; i < n; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<double>(i));
            });
            std::uint64_t received = 0;
            for (const GpuUse& use : last_gpu_use()) received += use.received;
            EXPECT_EQ(received, static_cast<std::uint64_t>(n * (count - 1)) * sizeof(double));
        }
    }
}

TEST(Ranks, GatherTakesUnevenAndEmptySlices) {
    run_on_ranks(run_with(3), [](const dunlin::Run& run) {
        Rank& rank = *Rank::current();
        Cpu cpu(run);
        const std::vector<Offset> borders{0, 0, 4, 5};
        std::vector<Index> values(5, 0);
        for (Offset i = borders[static_cast<std::size_t>(rank.index())];
             i < borders[static_cast<std::size_t>(rank.index()) + 1]; ++i)
            values[static_cast<std::size_t>(i)] = 10 * rank.index();
        all_gather(cpu, rank, values.data(), borders);
        EXPECT_EQ(values, (std::vector<Index>{10, 10, 10, 10, 20}));
    });
}

TEST(Ranks, SumsAreThoseInTheOrderOfTheRanks) {
    const auto value = [](int rank, Offset i) { return 1.0 / (1 + rank) + static_cast<double>(i) * 1e16; };
    for (const int count : counts_of_ranks) {
        for (const Offset n : {0, 1, 7, 1000}) {
            run_on_ranks(run_with(count), [&](const dunlin::Run& run) {
                Rank& rank = *Rank::current();
                Cpu cpu(run);
                std::vector<double> values(static_cast<std::size_t>(n));
                std::vector<std::int64_t> whole(static_cast<std::size_t>(n));
                for (std::size_t i = 0; i < values.size(); ++i) {
                    values[i] = value(rank.index(), static_cast<Offset>(i));
                    whole[i] = rank.index() + static_cast<std::int64_t>(i);
                }
                all_reduce(cpu, rank, values.data(), n);
                all_reduce(cpu, rank, whole.data(), n);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    double sum = value(0, static_cast<Offset>(i));
                    for (int r = 1; r < count; ++r) sum += value(r, static_cast<Offset>(i));
                    EXPECT_EQ(values[i], sum);
                    EXPECT_EQ(whole[i], count * (count - 1) / 2 + count * static_cast<std::int64_t>(i));
                }
            });
        }
    }
}

TEST(Ranks, AllToAllSendsEachRankItsValues) {
    for (const int count : counts_of_ranks) {
        run_on_ranks(run_with(count), [&](const dunlin::Run& run) {
            Rank& rank = *Rank::current();
            Cpu cpu(run);
            const auto at = [](int i) { return static_cast<std::size_t>(i); };
            std::vector<std::vector<Offset>> counts(at(count), std::vector<Offset>(at(count)));
            for (int s = 0; s < count; ++s) {
                for (int r = 0; r < count; ++r) counts[at(s)][at(r)] = (s + 2 * r) % 3;
            }
            std::vector<Index> sent, expected;
            for (int r = 0; r < count; ++r) {
                sent.insert(sent.end(), at(static_cast<int>(counts[at(rank.index())][at(r)])), 100 * rank.index() + r);
                expected.insert(expected.end(), at(static_cast<int>(counts[at(r)][at(rank.index())])),
                                100 * r + rank.index());
            }
            std::vector<Index> received(expected.size());
            all_to_all(cpu, rank, sent.data(), received.data(), counts);
            EXPECT_EQ(received, expected);
        });
    }
}

TEST(Ranks, AFailureOfOneEndsAllWithOneError) {
    const auto begun = std::chrono::steady_clock::now();
    for (int failing = 0; failing < 3; ++failing) {
        const std::string message = message_of(run_with(3), [&](const dunlin::Run& run) {
            Rank& rank = *Rank::current();
            for (int round = 0;; ++round) {
                if (rank.index() == failing && round == 10) throw Error(Fault::out_of_memory, "2 GB are not there");
                if (rank.index() != failing && round == 10 && failing == 1) {  // busy, and looking for a stop
                    while (!run.stop.stop_requested()) std::this_thread::yield();
                }
                rank.wait_for_all();
            }
        });
        EXPECT_EQ(message, "GPU " + std::to_string(failing) + ": 2 GB are not there");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST(Ranks, TooLittleMemoryNamesTheGpusThatHaveTooLittle) {
    const auto refusal = [](std::vector<int> gpus, const std::vector<std::uint64_t>& free, std::uint64_t wanted) {
        dunlin::Run run = run_with(static_cast<int>(gpus.size()));
        run.gpus = std::move(gpus);
        return message_of(run, [&](const dunlin::Run&) {
            Rank& rank = *Rank::current();
            const std::uint64_t least = rank.least_allowance(free[static_cast<std::size_t>(rank.index())]);
            EXPECT_EQ(least, *std::min_element(free.begin(), free.end()));
            require_gpu_memory(wanted, least, "a map");
        });
    };
    const std::string remedies = "; raise memory, name other GPUs, use fewer points or neighbors, or device cpu";
    EXPECT_EQ(refusal({4, 2, 7}, {9000000000, 3000000000, 9000000000}, 5000000000),
              "a map needs 5.000 GB of memory on each GPU, and 3.000 GB of GPU 2 may be taken" + remedies);
    EXPECT_EQ(refusal({3, 1, 0}, {2500000000, 3000000000, 1000000000}, 5000000000),
              "a map needs 5.000 GB of memory on each GPU, and 1.000 GB of GPU 0, 3.000 GB of GPU 1 and 2.500 GB of "
              "GPU 3 may be taken" +
                  remedies);
    EXPECT_EQ(refusal({0, 0, 1}, {2000000000, 2000000000, 8000000000}, 5000000000),
              "a map needs 5.000 GB of memory on each GPU, and 2.000 GB of GPU 0 may be taken" + remedies);
    EXPECT_EQ(refusal({0, 1}, {5000000000, 6000000000}, 5000000000), "");
    try {
        require_gpu_memory(5000000000, 3000000000, "a map");
        ADD_FAILURE() << "5 GB fit into 3 GB";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "a map needs 5.000 GB of GPU memory and 3.000 GB may be taken; raise memory, use fewer points or "
                     "neighbors, or device cpu");
        EXPECT_EQ(error.place().option, "memory");
    }
}

TEST(Ranks, AnErrorThatAllFindIsToldOnceAsItIs) {
    const std::string message =
        message_of(run_with(8), [](const dunlin::Run&) { throw Error(Fault::bad_input, "row 3 has NaN"); });
    EXPECT_EQ(message, "row 3 has NaN");
    EXPECT_THROW(run_on_ranks(run_with(2), [](const dunlin::Run&) { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(Ranks, RanksThatPartAreAnErrorAndDoNotHang) {
    const std::string message = message_of(run_with(3), [](const dunlin::Run&) {
        Rank& rank = *Rank::current();
        if (rank.index() != 1) rank.wait_for_all();
    });
    EXPECT_NE(message.find("one of the GPUs of a call ended while another waited for it"), std::string::npos);
}

TEST(Ranks, SharesOfRowsAreWholeRuns) {
    for (const int count : counts_of_ranks) {
        run_on_ranks(run_with(count), [&](const dunlin::Run&) {
            for (const Offset n : {0, 1, 256, 700, 1000000}) {
                const math::Runs runs = math::runs_of(n);
                const RowShare share = row_share(n);
                ASSERT_EQ(std::ssize(share.borders), count + 1);
                EXPECT_EQ(share.borders.front(), 0);
                EXPECT_EQ(share.borders.back(), n);
                EXPECT_TRUE(std::is_sorted(share.borders.begin(), share.borders.end()));
                EXPECT_EQ(share.run_borders.back(), runs.count());
                const auto own = static_cast<std::size_t>(Rank::current()->index());
                EXPECT_EQ(share.rows.begin, share.borders[own]);
                if (share.runs.size() > 0) {
                    EXPECT_EQ(share.rows.begin, runs.begin(share.runs.begin));
                    EXPECT_EQ(share.rows.end, runs.end(share.runs.end - 1));
                } else {
                    EXPECT_EQ(share.rows.size(), 0);
                }
            }
        });
    }
    EXPECT_EQ(row_share(700).rows.end, 700);
    EXPECT_EQ(row_share(700).rank, nullptr);
}

/// The coordinates of all ranks are those of one call without ranks.
template <class Embed>
void expect_same_map(const Embed& embed) {
    const std::vector<float> expected = embed(dunlin::Run{.device = Device::cpu, .threads = 1}).map.coordinates;
    for (const int count : counts_of_ranks) {
        dunlin::Run run = run_with(count);
        run.threads = 1;
        run_on_ranks(run, [&](const dunlin::Run& own) { EXPECT_EQ(embed(own).map.coordinates, expected); });
    }
}

TEST(Ranks, MapsOfRanksHaveTheBytesOfOne) {
    for (const Index n : {1, 5, 700}) {
        const neighbors::Data data = neighbors::clouds(n, 5);
        expect_same_map([&](const dunlin::Run& run) {
            return tsne::embed(data.view(), {.iterations = 20, .exaggerated_iterations = 10}, run);
        });
    }
    const neighbors::Data data = neighbors::clouds(700, 5);
    expect_same_map([&](const dunlin::Run& run) {
        return tsne::embed(data.view(), {.dim = 3, .iterations = 20, .min_gradient = 1e-6F}, run);
    });
    expect_same_map([&](const dunlin::Run& run) { return umap::embed(data.view(), {.iterations = 20}, run); });
    expect_same_map([&](const dunlin::Run& run) { return pacmap::embed(data.view(), {.iterations = "5,5,10"}, run); });
}

TEST(Ranks, AStopOfMapsReachesAllRanks) {
    const neighbors::Data data = neighbors::clouds(700, 5);
    std::stop_source source;
    dunlin::Run run = run_with(3);
    run.stop = source.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done >= 5) source.request_stop();
    };
    std::vector<std::vector<float>> maps(3);
    run_on_ranks(run, [&](const dunlin::Run& own) {
        const tsne::Result result = tsne::embed(data.view(), {}, own);
        EXPECT_EQ(result.stopped, Stopped::cancelled);
        maps[static_cast<std::size_t>(Rank::current()->index())] = result.map.coordinates;
    });
    EXPECT_EQ(maps[0].size(), 1400U);
    EXPECT_EQ(maps[1], maps[0]);
    EXPECT_EQ(maps[2], maps[0]);
}

TEST(Ranks, AStopReachesAllAndIsNoError) {
    std::stop_source source;
    dunlin::Run run = run_with(3);
    run.stop = source.get_token();
    std::atomic<int> stopped{0};
    run_on_ranks(run, [&](const dunlin::Run& own) {
        if (Rank::current()->index() == 1) source.request_stop();
        while (!stops(own)) {
        }
        ++stopped;
    });
    EXPECT_EQ(stopped, 3);
}

TEST(Ranks, ProgressIsRepeatedWhileTheFirstWaits) {
    dunlin::Run run = run_with(2);
    std::atomic<int> reports{0};
    run.on_progress = [&](const Progress&) { ++reports; };
    run_on_ranks(run, [&](const dunlin::Run& own) {
        const progress::ProgressReporter reporter(own, "neighbors", 1);
        if (Rank::current()->index() == 1) {
            while (reports < 4) std::this_thread::yield();
        }
        Rank::current()->wait_for_all();
    });
    EXPECT_GE(reports, 4);
}

TEST(Ranks, MethodsThatUseOneGpuSayTheirName) {
    const dunlin::Run run{.device = Device::cuda, .gpus = {0, 1}};
    Graph pair{{0, 1, 2}, {1, 0}, {1, 1}};
    try {
        (void)layout::place(pair, {}, run);
        ADD_FAILURE() << "two GPUs were accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "layout runs on one GPU, and 2 are named; name one");
        EXPECT_EQ(error.place().option, "gpus");
    }
}

TEST(Ranks, SeveralGpusWriteNoCheckpoint) {
    dunlin::Run run{.device = Device::cuda, .gpus = {0, 1}};
    run.checkpoint = "never.checkpoint";
    const std::vector<float> values{0, 1, 2, 3};
    const MatrixView<const float> points{values.data(), 4, 1};
    EXPECT_THROW((void)neighbors::search(points, {.k = 1}, run), Error);
    EXPECT_THROW((void)kmeans::cluster(points, {.clusters = 2}, run), Error);
}

TEST(Ranks, NumbersOfGpusAreChecked) {
    EXPECT_THROW(check(dunlin::Run{.gpus = {0, -1}}, several_gpus), Error);
    EXPECT_THROW(check(dunlin::Run{.gpus = std::vector<int>(65)}, several_gpus), Error);
    EXPECT_NO_THROW(check(dunlin::Run{.gpus = {0, 0, 1}}, several_gpus));
    EXPECT_EQ(on_one_gpu(dunlin::Run{.gpus = {3, 4}}).gpus, std::vector{3});
}

}  // namespace

}  // namespace dunlin::device
