// SPDX-License-Identifier: Apache-2.0
// The laws of layout, whose points have charges, and springs along edges.
#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "forces/attraction/springs.cuh"
#include "forces/attraction/springs.hpp"
#include "forces/borders.hpp"
#include "forces/exact/exact.cuh"
#include "forces/tree/tree.cuh"

namespace dunlin::forces {
namespace {

using repulsion::count;
using repulsion::rms_error;
using Values = std::vector<float>;

/// From 1 to 30, most of them small, as degrees are.
Values some_charges(Index n) {
    Values charges;
    for (Index i = 0; i < n; ++i) {
        charges.push_back(static_cast<float>(std::pow(30.0, math::random_uniform(4, static_cast<std::uint64_t>(i)))));
    }
    return charges;
}

/// From 0.1 to 1, for sized laws.
Values some_radii(Index n) {
    Values radii;
    for (Index i = 0; i < n; ++i) {
        radii.push_back(0.1F + 0.9F * static_cast<float>(math::random_uniform(5, static_cast<std::uint64_t>(i))));
    }
    return radii;
}

template <class Law>
Values exact_on_cpu(const Values& y, int dim) {
    const Index n = count(y, dim);
    return repulsion::exact_on_cpu<Law>(repulsion::view(y, dim), 2, {}, some_charges(n).data(), some_radii(n).data())
        .force;
}

template <class Law>
Values tree_on_cpu(const Values& y, int dim, float theta) {
    return repulsion::tree_on_cpu<Law>(repulsion::view(y, dim), theta, 2, {}, some_charges(count(y, dim)).data()).force;
}

/// By CudaExact or CudaTree, which takes theta.
template <class Engine, class... Theta>
Values on_gpu(const Values& y, int dim, Theta... theta) {
    device::Cuda cuda{dunlin::Run{}};
    Engine engine(theta...);
    device::CudaBuffer<float> at, force, charges;
    device::CudaCell<double> mass;
    cuda.upload(at, y);
    cuda.upload(charges, some_charges(count(y, dim)));
    cuda.fill(force, y.size(), NAN);
    const MatrixView<const float> positions{at.data(), count(y, dim), dim};
    engine.prepare(cuda, positions);
    engine.repel(cuda, positions, {force.data(), count(y, dim), dim}, mass, charges.data());
    return cuda.host(force);
}

Values discs_on_gpu(const Values& y, int dim) {
    device::Cuda cuda{dunlin::Run{}};
    CudaExact<BetweenBorders> engine;
    device::CudaBuffer<float> at, force, charges, radii;
    device::CudaCell<double> mass;
    cuda.upload(at, y);
    cuda.upload(charges, some_charges(count(y, dim)));
    cuda.upload(radii, some_radii(count(y, dim)));
    cuda.fill(force, y.size(), NAN);
    const MatrixView<const float> positions{at.data(), count(y, dim), dim};
    engine.prepare(cuda, positions);
    engine.repel(cuda, positions, {force.data(), count(y, dim), dim}, mass, charges.data(), radii.data());
    return cuda.host(force);
}

template <class Law>
class ChargedLaw : public testing::Test {};
using Laws = testing::Types<InversePower<1>, InversePower<2>, InversePower<3>>;
TYPED_TEST_SUITE(ChargedLaw, Laws);

TYPED_TEST(ChargedLaw, ExactIsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : {0, 1, 2, 31, 32, 33, 1000, 20001, 70001}) {
            const Values y = agree::scattered(n, dim, 100), right = exact_on_cpu<TypeParam>(y, dim);
            const Values found = on_gpu<CudaExact<TypeParam>>(y, dim);
            // For steeper laws few close pairs dominate, whose forces have the largest rounding errors
            EXPECT_LT(rms_error(found, right), cases::all_pairs.force) << n << " x " << dim;
            EXPECT_LT(agree::relative_error(found, right), 1e-3) << n << " x " << dim;
            EXPECT_EQ(found, on_gpu<CudaExact<TypeParam>>(y, dim));
        }
    }
}

TYPED_TEST(ChargedLaw, CoincidentPointsHaveNoForceOnEachOther) {
    DUNLIN_NEEDS_GPU();
    const Values y(2 * 3000, -4.25F), nothing(y.size(), 0.0F);
    EXPECT_EQ(on_gpu<CudaExact<TypeParam>>(y, 2), nothing);
    EXPECT_EQ(on_gpu<CudaTree<TypeParam>>(y, 2, 0.5F), nothing);
}

TYPED_TEST(ChargedLaw, TreeIsExactAtThetaZeroAndErrsAsTheCpusOtherwise) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : {0, 1, 2, 31, 32, 33, 1000, 20001}) {
            const Values y = agree::scattered(n, dim, 100), right = exact_on_cpu<TypeParam>(y, dim);
            EXPECT_LT(rms_error(on_gpu<CudaTree<TypeParam>>(y, dim, 0.0F), right), 1e-5) << n << " x " << dim;
            const Values found = on_gpu<CudaTree<TypeParam>>(y, dim, 0.8F);
            const double allowed = 3 * rms_error(tree_on_cpu<TypeParam>(y, dim, 0.8F), right) + 1e-4;
            EXPECT_LT(rms_error(found, right), allowed) << n << " x " << dim;
            EXPECT_EQ(found, on_gpu<CudaTree<TypeParam>>(y, dim, 0.8F));
        }
    }
}

TEST(DiscsOnGpu, PushEachOtherAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({0, 1, 2, 31, 32, 33, 1000, 20001, 50001})) {
            const Values y = agree::scattered(n, dim, 40), right = exact_on_cpu<BetweenBorders>(y, dim);
            const Values found = discs_on_gpu(y, dim);
            EXPECT_LT(rms_error(found, right), 1e-5) << n << " x " << dim;
            EXPECT_EQ(found, discs_on_gpu(y, dim));
        }
    }
}

TEST(ChargedTree, AgreesOnManyPoints) {
    DUNLIN_NEEDS_GPU();
    const Values y = agree::scattered(250001, 2, 500);
    const Values found = on_gpu<CudaTree<InversePower<1>>>(y, 2, 0.5F);
    EXPECT_LT(rms_error(found, tree_on_cpu<InversePower<1>>(y, 2, 0.2F)), 1e-2);
}

template <class Spring>
Values springs_on_cpu(const Graph& graph, const Values& y, int dim, const Spring& spring) {
    device::Cpu cpu(2);
    Values force(y.size(), NAN);
    attract(cpu, graph, {y.data(), graph.size(), dim}, {force.data(), graph.size(), dim}, spring);
    return force;
}

template <class Spring>
Values springs_on_gpu(const Graph& graph, const Values& y, int dim, const Spring& spring) {
    device::Cuda cuda{dunlin::Run{}};
    const graph::DeviceGraph edges = graph::upload(cuda, graph);
    const CudaSprings springs(cuda, edges);
    device::CudaBuffer<float> at, force;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    attract(cuda, springs, {at.data(), graph.size(), dim}, {force.data(), graph.size(), dim}, spring);
    return cuda.host(force);
}

template <class Spring>
void expect_springs(const Graph& graph, int dim, const Spring& spring, double tolerance = 1e-4) {
    const Values y = agree::scattered(graph.size(), dim, 50), found = springs_on_gpu(graph, y, dim, spring);
    EXPECT_LT(agree::relative_error(found, springs_on_cpu(graph, y, dim, spring)), tolerance)
        << graph.size() << " vertices, " << dim << "-D";
    EXPECT_EQ(found, springs_on_gpu(graph, y, dim, spring));
}

TEST(SpringsOnGpu, AreTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : {0, 1, 2, 31, 32, 33, 1000, 70001}) {
            for (const Index degree : {3, 10, 90}) expect_springs(agree::some_graph(n, degree), dim, QuadraticSpring{});
            expect_springs(agree::some_graph(n, 6), dim, LogSpring{2, 1});
            expect_springs(agree::some_graph(n, 6), dim, LinearSpring{});
            expect_springs(agree::some_graph(n, 6), dim, LinLogSpring{});
        }
    }
}

TEST(SpringsOnGpu, LongRowsAreCutAnywhere) {
    DUNLIN_NEEDS_GPU();
    for (const Index degree : {127, 128, 129, 1023, 1024, 1025, 2047, 2049, 9000}) {
        expect_springs(agree::some_graph(degree + 5, degree), 2, QuadraticSpring{});
    }
    // Long and short rows alternate
    Graph mixed;
    for (Index i = 0; i < 4000; ++i) {
        for (Index e = 0; e < (i % 500 == 7 ? 3000 + i : i % 3); ++e) {
            mixed.targets.push_back((i + e + 1) % 4000);
            mixed.weights.push_back(1);
        }
        mixed.offsets.push_back(static_cast<Offset>(mixed.targets.size()));
    }
    expect_springs(mixed, 2, QuadraticSpring{});
    expect_springs(mixed, 3, QuadraticSpring{});
}

TEST(SpringsOnGpu, TheCenterOfAStarIsShared) {
    DUNLIN_NEEDS_GPU();
    // The center's force is the sum of a million pulls that nearly cancel
    expect_springs(agree::star(1000001), 2, QuadraticSpring{}, 1e-3);
}

}  // namespace
}  // namespace dunlin::forces
