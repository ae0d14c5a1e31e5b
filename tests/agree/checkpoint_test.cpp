// SPDX-License-Identifier: Apache-2.0
// Runs on a GPU that are stopped or killed and resumed have the bytes of a run that is not.
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>
#include <dunlin/waves.hpp>

#include "agree/agree.hpp"
#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

using cases::bytes_of;
using descent::Repulsion;

class ResumedOnGpu : public cases::Resumed {
protected:
    template <class Make>
    void expect_resumed_on_gpu(const Make& make) const {
        expect_resumed(make, agree::on(Device::cuda));
    }
};

TEST_F(ResumedOnGpu, TsneByEveryEngineAndDimension) {
    DUNLIN_NEEDS_GPU();
    struct Case {
        Repulsion repulsion;
        int dim;
        Index n;
    };
    for (const auto& [repulsion, dim, n] :
         {Case{Repulsion::exact, 2, 900}, Case{Repulsion::tree, 1, 900}, Case{Repulsion::tree, 2, 6000},
          Case{Repulsion::tree, 3, 1200}, Case{Repulsion::grid, 2, 6000}, Case{Repulsion::grid, 3, 1200}}) {
        const made::Points x = made::gaussians(agree::size(n), 6, 5);
        const tsne::Options options{
            .dim = dim, .perplexity = 8, .iterations = 90, .exaggerated_iterations = 45, .repulsion = repulsion};
        SCOPED_TRACE(std::string(name_of(repulsion)) + std::to_string(dim));
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(tsne::embed(x.view(), options, run)); });
    }
}

// So many points are put in another order during the descent
TEST_F(ResumedOnGpu, TsneOfPointsInAnotherOrder) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    const made::Points x = made::gaussians(120'000, 4, 9);
    for (const Repulsion repulsion : {Repulsion::grid, Repulsion::tree}) {
        const tsne::Options options{
            .perplexity = 5, .iterations = 120, .exaggerated_iterations = 40, .repulsion = repulsion};
        SCOPED_TRACE(name_of(repulsion));
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(tsne::embed(x.view(), options, run)); });
    }
}

TEST_F(ResumedOnGpu, TsneThatConverges) {
    DUNLIN_NEEDS_GPU();
    const made::Points x = made::gaussians(700, 4, 5);
    const tsne::Options options{.perplexity = 10, .iterations = 2000, .exaggerated_iterations = 50, .tolerance = 1e-3F};
    expect_resumed_on_gpu([&](const Run& run) { return bytes_of(tsne::embed(x.view(), options, run)); });
}

TEST_F(ResumedOnGpu, UmapAndPacmap) {
    DUNLIN_NEEDS_GPU();
    for (const Repulsion repulsion : {Repulsion::tree, Repulsion::grid, Repulsion::drawn}) {
        const made::Points x = made::gaussians(agree::size(4000), 6, 5);
        const int dim = repulsion == Repulsion::drawn ? 5 : 2;
        const umap::Options umap{.dim = dim, .iterations = 80, .repulsion = repulsion};
        SCOPED_TRACE(name_of(repulsion));
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(umap::embed(x.view(), umap, run)); });
        const pacmap::Options pacmap{.dim = dim, .iterations = "30,30,50", .repulsion = repulsion};
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(pacmap::embed(x.view(), pacmap, run)); });
    }
}

TEST_F(ResumedOnGpu, KmeansByEachKernel) {
    DUNLIN_NEEDS_GPU();
    struct Case {
        Index n, cols, clusters;
    };
    for (const auto& [n, cols, clusters] : {Case{20000, 8, 10}, Case{20000, 64, 300}, Case{1400, 3, 40}}) {
        const made::Points x = made::gaussians(agree::size(n), cols, 12);
        for (const kmeans::Metric metric : {kmeans::Metric::euclidean, kmeans::Metric::cosine}) {
            kmeans::Options options{.clusters = clusters, .metric = metric, .start = kmeans::Start::random};
            options.iterations = 15;
            options.stop = kmeans::Rule::never;
            options.restarts = 2;
            SCOPED_TRACE(std::to_string(cols) + " columns, " + std::string(name_of(metric)));
            expect_resumed_on_gpu([&](const Run& run) { return bytes_of(kmeans::cluster(x.view(), options, run)); });
        }
    }
}

TEST_F(ResumedOnGpu, LayoutsByEveryMethod) {
    DUNLIN_NEEDS_GPU();
    using layout::Method;
    const Graph graph = agree::only_small() ? made::lattice(30, 30) : made::lattice(90, 60);
    for (const Method method : {Method::multilevel, Method::eades, Method::fruchterman_reingold, Method::forceatlas2,
                                Method::annealing, Method::stress}) {
        layout::Options options{.method = method};
        options.iterations = method == Method::annealing ? 3 : 24;
        SCOPED_TRACE(name_of(method));
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(layout::place(graph, options, run)); });
    }
}

TEST_F(ResumedOnGpu, ScalingByEveryMethodThatIterates) {
    DUNLIN_NEEDS_GPU();
    using mds::Method;
    const auto items = mds::Dissimilarities::of_points(Matrix(700, 5, made::gaussians(700, 5, 6).values));
    for (const Method method :
         {Method::dunlin, Method::smacof, Method::stochastic, Method::gpu_sf, Method::glimmer, Method::hybrid}) {
        mds::Options options{.method = method};
        options.iterations = 40;
        SCOPED_TRACE(name_of(method));
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(mds::place(items, options, run)); });
    }
}

// Ties are broken by the disparities of earlier iterations
TEST_F(ResumedOnGpu, OrdinalScalingAndSeveralStarts) {
    DUNLIN_NEEDS_GPU();
    std::vector<float> values;
    for (Index i = 0; i < 60; ++i)
        for (Index j = 0; j < 60; ++j) values.push_back(i == j ? 0.0F : static_cast<float>(1 + (i + j) % 4));
    const auto items = mds::Dissimilarities::of_matrix({60, 60, std::move(values)});
    for (const mds::Transform transform : {mds::Transform::ordinal, mds::Transform::interval}) {
        for (const int starts : {1, 4}) {
            mds::Options options{.method = mds::Method::smacof};
            options.transform = transform;
            options.starts = starts;
            options.iterations = 60;
            SCOPED_TRACE(std::string(name_of(transform)) + std::to_string(starts));
            expect_resumed_on_gpu([&](const Run& run) { return bytes_of(mds::place(items, options, run)); });
        }
    }
}

TEST_F(ResumedOnGpu, Waves) {
    DUNLIN_NEEDS_GPU();
    using waves::Domain, waves::Scheme;
    const waves::Given given{.stimuli = {{.vertex = 0, .value = 1, .to = 5}}, .snapshots = {3, 9.5}};
    for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
        waves::Options options;
        options.scheme = scheme;
        options.until = 30;
        SCOPED_TRACE(name_of(scheme));
        for (const Domain& domain : {Domain::line(1400, 0.5), Domain::grid({35, 40, 1}, 0.5)})
            expect_resumed_on_gpu(
                [&](const Run& run) { return bytes_of(waves::simulate(domain, options, run, given)); });
    }
    waves::Options chosen;
    chosen.scheme = Scheme::rkc;
    chosen.until = 30;
    const Graph ring = made::ring(300);
    expect_resumed_on_gpu(
        [&](const Run& run) { return bytes_of(waves::simulate(Domain::on(ring), chosen, run, given)); });
}

TEST_F(ResumedOnGpu, ExactNeighbors) {
    DUNLIN_NEEDS_GPU();
    for (const neighbors::Metric metric : {neighbors::Metric::euclidean, neighbors::Metric::cosine}) {
        const made::Points x = made::gaussians(agree::size(40000), 20, 12);
        const neighbors::Options options{.k = 9, .metric = metric, .method = neighbors::Method::exact};
        SCOPED_TRACE(name_of(metric));
        expect_resumed_on_gpu([&](const Run& run) { return bytes_of(neighbors::search(x.view(), options, run)); });
    }
}

TEST_F(ResumedOnGpu, AnotherKindOfDeviceIsRefused) {
    DUNLIN_NEEDS_GPU();
    const made::Points x = made::gaussians(300, 4, 3);
    const tsne::Options options{.perplexity = 5, .iterations = 20, .exaggerated_iterations = 10};
    Run run = fresh("a.ckpt", agree::on(Device::cuda));
    tsne::embed(x.view(), options, run);
    run.resume = true;
    run.device = Device::cpu;
    const std::string why = refusal(Fault::bad_file, [&] { tsne::embed(x.view(), options, run); });
    EXPECT_NE(why.find("its device is cuda, and that of this run is cpu"), std::string::npos) << why;
}

}  // namespace
}  // namespace dunlin
