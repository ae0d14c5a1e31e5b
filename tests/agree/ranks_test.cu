// SPDX-License-Identifier: Apache-2.0
// Several GPUs, or several ranks of one, give the bytes of one. The collectives between GPUs; failures and stops.
#include "device/ranks.cuh"

#include <dunlin/error.hpp>
#include <dunlin/gpu_use.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include <chrono>
#include <string>

#include "agree/agree.hpp"
#include "agree/lists_of_gpus.hpp"
#include "cases/neighbors.hpp"

namespace dunlin {
namespace {

using agree::lists_of_gpus, agree::name_of, agree::on_gpus;

TEST(CudaRanks, CollectivesGiveWhatTheCpuGives) {
    DUNLIN_NEEDS_GPU();
    for (const auto& gpus : lists_of_gpus()) {
        const auto count = static_cast<Offset>(gpus.size());
        for (const Offset n : {0, 1, 31, 1000, 70001}) {
            device::run_on_ranks(on_gpus(gpus), [&](const dunlin::Run& run) {
                device::Rank& rank = *device::Rank::current();
                device::Cuda cuda(run);
                std::vector<std::int64_t> own(static_cast<std::size_t>(n)), values;
                const device::Slice slice = rank.slice(n);
                for (Offset i = slice.begin; i < slice.end; ++i) own[static_cast<std::size_t>(i)] = 3 * i + 1;
                for (int again = 0; again < 3; ++again) {
                    device::CudaBuffer<std::int64_t> gathered, summed;
                    cuda.upload(gathered, own);
                    cuda.upload(summed, own);
                    device::all_gather(cuda, rank, gathered.data(), device::slice_borders(rank, n));
                    device::all_reduce(cuda, rank, summed.data(), n);
                    device::all_reduce(cuda, rank, summed.data(), n);
                    values = cuda.host(gathered);
                    for (Offset i = 0; i < n; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], 3 * i + 1);
                    values = cuda.host(summed);
                    for (Offset i = 0; i < n; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], count * (3 * i + 1));
                }
            });
        }
    }
}

TEST(CudaRanks, AllToAllSendsEachRankItsValues) {
    DUNLIN_NEEDS_GPU();
    for (const auto& gpus : lists_of_gpus()) {
        device::run_on_ranks(on_gpus(gpus), [&](const dunlin::Run& run) {
            device::Rank& rank = *device::Rank::current();
            device::Cuda cuda(run);
            const auto count = static_cast<std::size_t>(rank.count()), me = static_cast<std::size_t>(rank.index());
            std::vector<std::vector<Offset>> counts(count, std::vector<Offset>(count));
            std::vector<Index> sent, expected;
            for (std::size_t s = 0; s < count; ++s) {
                for (std::size_t r = 0; r < count; ++r) counts[s][r] = static_cast<Offset>((s + 2 * r) % 3 * 100);
            }
            for (std::size_t r = 0; r < count; ++r) {
                sent.insert(sent.end(), static_cast<std::size_t>(counts[me][r]), static_cast<Index>(100 * me + r));
                expected.insert(expected.end(), static_cast<std::size_t>(counts[r][me]),
                                static_cast<Index>(100 * r + me));
            }
            device::CudaBuffer<Index> from, to(expected.size(), cuda.stream());
            cuda.upload(from, sent);
            device::all_to_all(cuda, rank, from.data(), to.data(), counts);
            EXPECT_EQ(cuda.host(to), expected);
        });
    }
}

/// Work that is enqueued before an exchange is seen by others, and work after it does not disturb their copies.
TEST(CudaRanks, ExchangesKeepTheOrderOfTheStreams) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(1 << 20);
    for (const auto& gpus : lists_of_gpus()) {
        device::run_on_ranks(on_gpus(gpus), [&](const dunlin::Run& run) {
            device::Rank& rank = *device::Rank::current();
            device::Cuda cuda(run);
            device::CudaBuffer<Index> values(static_cast<std::size_t>(n), cuda.stream());
            const std::vector<Offset> borders = device::slice_borders(rank, n);
            for (Index round = 0; round < 20; ++round) {
                cuda.fill(values, static_cast<std::size_t>(n), 1000 * rank.index() + round);
                device::all_gather(cuda, rank, values.data(), borders);
                const std::vector<Index> found = cuda.host(values);
                for (int r = 0; r < rank.count(); ++r) {
                    const device::Slice slice = rank.slice_of(r, n);
                    ASSERT_EQ(found[static_cast<std::size_t>(slice.begin)], 1000 * r + round);
                    ASSERT_EQ(found[static_cast<std::size_t>(slice.end - 1)], 1000 * r + round);
                }
            }
        });
    }
}

void expect_same_search(const neighbors::Data& data, const neighbors::Options& options,
                        const neighbors::Data& queries = {}) {
    const auto search = [&](const dunlin::Run& run) {
        return queries.rows > 0 ? neighbors::search(data.view(), queries.view(), options, run)
                                : neighbors::search(data.view(), options, run);
    };
    const neighbors::Result expected = search(on_gpus({0}));
    for (const auto& gpus : lists_of_gpus()) {
        const neighbors::Result found = search(on_gpus(gpus));
        EXPECT_EQ(found.graph.offsets, expected.graph.offsets);
        EXPECT_TRUE(found.graph.targets == expected.graph.targets) << data.rows << " rows, " << name_of(gpus);
        EXPECT_TRUE(found.graph.weights == expected.graph.weights) << data.rows << " rows, " << name_of(gpus);
        EXPECT_EQ(found.recall, expected.recall);
        EXPECT_EQ(found.recall_se, expected.recall_se);
        EXPECT_EQ(found.probes, expected.probes);
        EXPECT_EQ(found.gpus, gpus);
        EXPECT_EQ(last_gpu_use().size(), gpus.size());
    }
}

using neighbors::Method, neighbors::Metric;

TEST(CudaRanks, ExactNeighborsHaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({1, 2, 5, 31, 1000, 20001}))
        expect_same_search(neighbors::cloud(n, 20), {.k = 15, .method = Method::exact});
    expect_same_search(neighbors::clouds(agree::size(9000), 100),
                       {.k = 30, .metric = Metric::correlation, .method = Method::exact});
    expect_same_search(neighbors::integers(agree::size(5000), 4, 3), {.k = 20, .method = Method::exact});  // copies
    expect_same_search(neighbors::cloud(agree::size(9000), 20), {.k = 15, .method = Method::exact},
                       neighbors::cloud(701, 20));
}

TEST(CudaRanks, NeighborsByCellsHaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    expect_same_search(neighbors::clouds(agree::size(200001), 20), {.k = 15, .method = Method::approximate});
    expect_same_search(neighbors::clouds(agree::size(50000), 50),
                       {.k = 40, .method = Method::approximate, .recall = 0.9});
    expect_same_search(neighbors::clouds(agree::size(50000), 20), {.k = 15, .method = Method::approximate},
                       neighbors::clouds(1001, 20));
}

TEST(CudaRanks, NeighborsByCodesHaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    expect_same_search(neighbors::clouds(agree::size(60000), 50),
                       {.k = 20, .method = Method::approximate, .recall = 0.9, .codes = 20});
}

TEST(CudaRanks, KMeansHasTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({5, 1025, 70001})) {
        const neighbors::Data data = neighbors::clouds(n, 20);
        for (const auto metric : {kmeans::Metric::euclidean, kmeans::Metric::cosine}) {
            const kmeans::Options options{.clusters = 5, .metric = metric, .restarts = 2};
            const kmeans::Result expected = kmeans::cluster(data.view(), options, on_gpus({0}));
            for (const auto& gpus : lists_of_gpus()) {
                const kmeans::Result found = kmeans::cluster(data.view(), options, on_gpus(gpus));
                EXPECT_EQ(found.labels, expected.labels) << n << ", " << name_of(gpus);
                EXPECT_EQ(found.counts, expected.counts);
                EXPECT_EQ(found.inertia, expected.inertia);
                EXPECT_EQ(found.iterations, expected.iterations);
                const auto values = [](const Matrix& m) {
                    return std::vector<float>(m.view().data, m.view().data + m.view().size());
                };
                EXPECT_EQ(values(found.centroids), values(expected.centroids));
                EXPECT_EQ(found.device, Device::cuda);
                EXPECT_EQ(found.gpus, gpus);
            }
        }
    }
}

/// Calls embed(run) on one GPU and on several ranks, and compares the bytes.
template <class Embed>
void expect_same_map(const std::string& what, const Embed& embed) {
    const auto expected = embed(on_gpus({0}));
    for (const auto& gpus : lists_of_gpus()) {
        const auto found = embed(on_gpus(gpus));
        EXPECT_TRUE(found.map.coordinates == expected.map.coordinates) << what << ", " << name_of(gpus);
        EXPECT_EQ(found.iterations, expected.iterations) << what;
        EXPECT_EQ(found.stopped, expected.stopped) << what;
        EXPECT_EQ(found.gpus, gpus);
    }
}

TEST(CudaRanks, TsneHasTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({1, 2, 5, 300, 1000, 20001, 60001})) {
        const neighbors::Data data = neighbors::clouds(n, 20);
        for (const int dim : {2, 3}) {
            expect_same_map("t-SNE of " + std::to_string(n) + " in " + std::to_string(dim),
                            [&](const dunlin::Run& run) {
                                tsne::Options options{.dim = dim, .iterations = 120, .exaggerated_iterations = 60};
                                if (n > 300) options.repulsion = descent::Repulsion::grid;
                                return tsne::embed(data.view(), options, run);
                            });
        }
    }
    const neighbors::Data data = neighbors::clouds(agree::size(5000), 20);
    for (const auto repulsion : {descent::Repulsion::exact, descent::Repulsion::tree}) {
        expect_same_map("t-SNE by another engine", [&](const dunlin::Run& run) {
            return tsne::embed(data.view(), {.iterations = 60, .repulsion = repulsion}, run);
        });
    }
    expect_same_map("t-SNE of a line", [&](const dunlin::Run& run) {
        return tsne::embed(data.view(), {.dim = 1, .iterations = 60}, run);
    });
    expect_same_map("t-SNE that converges",
                    [&](const dunlin::Run& run) { return tsne::embed(data.view(), {.min_gradient = 1e-3F}, run); });
}

TEST(CudaRanks, UmapAndPacmapHaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({300, 20001, 60001})) {
        const neighbors::Data data = neighbors::clouds(n, 20);
        expect_same_map("UMAP of " + std::to_string(n),
                        [&](const dunlin::Run& run) { return umap::embed(data.view(), {.iterations = 110}, run); });
        expect_same_map("PaCMAP of " + std::to_string(n),
                        [&](const dunlin::Run& run) { return pacmap::embed(data.view(), {}, run); });
    }
}

TEST(CudaRanks, AStopOfAMapIsNoErrorAndNoHang) {
    DUNLIN_NEEDS_GPU();
    const neighbors::Data data = neighbors::clouds(agree::size(20001), 20);
    for (const auto& gpus : lists_of_gpus()) {
        std::stop_source source;
        dunlin::Run run = on_gpus(gpus);
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage == "optimize" && progress.done >= 20) source.request_stop();
        };
        const tsne::Result found = tsne::embed(data.view(), {}, run);
        EXPECT_EQ(found.stopped, Stopped::cancelled);
        EXPECT_EQ(found.map.size(), data.rows);
    }
}

TEST(CudaRanks, AFailureOfOneIsOneErrorWithinFiveSeconds) {
    DUNLIN_NEEDS_GPU();
    for (const auto& gpus : lists_of_gpus()) {
        const auto begun = std::chrono::steady_clock::now();
        try {
            device::run_on_ranks(on_gpus(gpus), [&](const dunlin::Run& run) {
                device::Rank& rank = *device::Rank::current();
                device::Cuda cuda(run);
                device::CudaBuffer<float> values(1 << 20, cuda.stream());
                for (int round = 0;; ++round) {
                    cuda.fill(values, values.size(), 1.0F);
                    if (round == 5 && rank.index() == rank.count() - 1)
                        device::CudaBuffer<float>(std::size_t{1} << 45, cuda.stream());
                    device::all_gather(cuda, rank, values.data(),
                                       device::slice_borders(rank, static_cast<Offset>(values.size())));
                }
            });
            ADD_FAILURE() << "the failure was lost";
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::out_of_memory);
            EXPECT_EQ(std::string(error.what()).rfind("GPU " + std::to_string(gpus.back()) + ": ", 0), 0U)
                << error.what();
        }
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    }
}

TEST(CudaRanks, TooLittleMemoryIsOneError) {
    DUNLIN_NEEDS_GPU();
    const neighbors::Data data = neighbors::cloud(agree::size(20000), 20);
    dunlin::Run run = on_gpus({0, 0, 0});
    run.memory = 1000000;
    EXPECT_THROW((void)neighbors::search(data.view(), {.k = 15, .method = Method::exact}, run), Error);
}

TEST(CudaRanks, AStopGivesNoLists) {
    DUNLIN_NEEDS_GPU();
    const neighbors::Data data = neighbors::cloud(agree::size(200000), 20);
    for (const auto& gpus : lists_of_gpus()) {
        std::stop_source source;
        dunlin::Run run = on_gpus(gpus);
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.done > 0) source.request_stop();
        };
        const neighbors::Result found = neighbors::search(data.view(), {.k = 15, .method = Method::exact}, run);
        EXPECT_EQ(found.graph.size(), 0);
        EXPECT_EQ(found.stopped, Stopped::cancelled);
    }
}

TEST(CudaRanks, AGpuThatIsNotThereIsNamed) {
    DUNLIN_NEEDS_GPU();
    const neighbors::Data data = neighbors::cloud(100, 3);
    try {
        (void)neighbors::search(data.view(), {.k = 5}, on_gpus({0, 63}));
        ADD_FAILURE() << "there is no GPU 63";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::no_device);
        EXPECT_NE(std::string(error.what()).find("63"), std::string::npos);
    }
}

}  // namespace
}  // namespace dunlin
