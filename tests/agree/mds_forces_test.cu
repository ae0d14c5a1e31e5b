// SPDX-License-Identifier: Apache-2.0
#include "mds.hpp"

#include "mds/forces/forces.hpp"
#include "mds/forces/partners.cuh"
#include "mds/forces/partners.hpp"
#include "mds/start.cuh"

namespace dunlin::mds {
namespace {

using neighbors::Metric;

/// Spring states on both devices.
struct BothSprings : BothItems {
    BothSprings(const Dissimilarities& items, int dim, int near, int random)
        : BothItems(items, dim),
          here(springs_at(cpu, map, random_order(items.size(), 5), near, random)),
          there(springs_at(cuda, map, random_order(items.size(), 5), near, random)) {}

    /// Runs a stage on both devices.
    void run_both(const SpringStage& stage, const StageOptions& stage_options) {
        run_stage(cpu, source, here, stage, stage_options, {}, {});
        run_stage(cuda, on_device, there, stage, stage_options, {}, {});
    }

    SpringState<device::Cpu> here;
    SpringState<device::Cuda> there;
};

void expect_the_same_stage(const Dissimilarities& items, int dim, bool symmetric, const std::string& what) {
    constexpr int iterations = 4;
    BothSprings both(items, dim, 5, 7);
    const Index n = items.size();
    for (const Until until : {Until::count, Until::velocity, Until::stress}) {
        both.run_both({0, n, n, 0}, {until, iterations, symmetric});
        EXPECT_LT(share_elsewhere(both.cuda.host(both.there.y), both.here.y), 0.01) << what;
        const auto speeds = both.cuda.host(both.there.speeds), stresses = both.cuda.host(both.there.stresses);
        for (std::size_t t = 0; t < speeds.size(); ++t) {
            EXPECT_NEAR(speeds[t], both.here.speeds[t], 1e-3 * both.here.speeds[t]) << what;
            EXPECT_NEAR(stresses[t], both.here.stresses[t], 1e-3 * both.here.stresses[t]) << what;
        }
    }
    if (n > 8) EXPECT_GT(agree::relative_error(positions_of(both.cpu, both.here), both.map.coordinates), 1e-3) << what;
}

TEST(CudaMdsForces, StepsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const bool symmetric : {false, true}) {
        for (const Index n : either({2, 31, 32, 33, 1000, 20011}, {33, 130})) {
            for (const Index cols : either({1, 9, 33, 200}, {9, 200}))
                expect_the_same_stage(points(n, cols), 2, symmetric, std::to_string(n) + " x " + std::to_string(cols));
        }
        if (agree::only_small()) continue;
        for (const Metric metric : {Metric::manhattan, Metric::cosine, Metric::correlation})
            expect_the_same_stage(points(small(1000), 20, metric), 2, symmetric, std::string(name_of(metric)));
        for (const int dim : {1, 3, 5})
            expect_the_same_stage(points(small(333), 20), dim, symmetric, std::to_string(dim) + "-D");
        for (const bool complete : {true, false})
            expect_the_same_stage(matrix(small(1001), complete), 2, symmetric, complete ? "matrix" : "missing pairs");
    }
}

TEST(CudaMdsForces, LevelsStayAmongThemselves) {
    DUNLIN_NEEDS_GPU();
    BothSprings both(points(900, 9), 2, 4, 4);
    both.run_both({0, 100, 100, 0}, {Until::count, 3, false});
    both.run_both({100, 400, 100, 0}, {Until::count, 3, false});
    const auto y = both.cuda.host(both.there.y);
    EXPECT_LT(mean_error(y, both.here.y), 1e-4);
    for (std::size_t i = 800; i < y.size(); ++i) EXPECT_EQ(y[i], both.here.y[i]);
}

TEST(CudaMdsForces, ReversePartnersAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Index all : agree::sizes({1, 2, 33, 1000, 20011})) {
        const Index n = small(all);
        BothSprings both(points(n, 4), 2, 2, 3);
        for (std::size_t s = 0; s < both.here.partner.size(); ++s) {
            const auto draw = static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n) + 1, 9, s));
            both.here.partner[s] = s % 5 == 1 ? 0 : draw - 1;  // many slots hold the first item, some are empty
        }
        both.cuda.upload(both.there.partner, both.here.partner);
        reverse_of(both.cpu, both.here, n);
        reverse_of(both.cuda, both.there, n);
        const auto begin = both.cuda.host(both.there.reverse_begin), slot = both.cuda.host(both.there.reverse_slot);
        for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i) ASSERT_EQ(begin[i], both.here.reverse_begin[i]);
        for (std::size_t s = 0; s < both.here.reverse_slot.size(); ++s) ASSERT_EQ(slot[s], both.here.reverse_slot[s]);
    }
}

/// Parent and references of an item.
template <class Between>
struct FindKin {
    Interpolation<Between> interpolation;
    Index* parent;
    RankedMember* references;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = interpolation.sample + k;
        parent[k] = interpolation.parent_of(i).member;
        interpolation.find_references(i, references + k * interpolation.references);
    }
};

template <class Exec, class Between>
std::pair<std::vector<Index>, std::vector<RankedMember>> kin_of(Exec& exec, Interpolation<Between> interpolation,
                                                                Index n) {
    const SortedLists<Exec> lists = sorted_lists(exec, interpolation);
    interpolation.lists = lists.members.data();
    interpolation.known = lists.known.data();
    typename Exec::template Buffer<Index> parent;
    typename Exec::template Buffer<RankedMember> references;
    exec.fill(parent, static_cast<std::size_t>(n - interpolation.sample), Index{-2});
    exec.fill(references, parent.size() * static_cast<std::size_t>(interpolation.references), RankedMember{-1, -1});
    exec.each(n - interpolation.sample, FindKin<Between>{interpolation, parent.data(), references.data()});
    return {exec.host(parent), exec.host(references)};
}

TEST(CudaMdsForces, ParentsAndReferencesAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Parents parents : {Parents::sorted, Parents::buckets}) {
        for (const Dissimilarities& items :
             {points(small(5000), 9), matrix(small(700), true), matrix(small(700), false)}) {
            BothSprings both(items, 2, 5, 10);
            const Index n = items.size();
            const auto [mother, known] =
                kin_of(both.cpu, interpolation_of(both.source.between(), both.here, 30, parents, 3), n);
            const auto [parent, found] =
                kin_of(both.cuda, interpolation_of(both.on_device.between(), both.there, 30, parents, 3), n);
            Offset strangers = 0, other_references = 0;
            for (std::size_t k = 0; k < parent.size(); ++k) strangers += parent[k] == mother[k] ? 0 : 1;
            for (std::size_t k = 0; k < found.size(); ++k)
                other_references += found[k].member == known[k].member ? 0 : 1;
            EXPECT_LE(strangers, std::ssize(parent) / 100) << n << " items, " << name_of(parents);
            EXPECT_EQ(other_references, 0) << n << " items";
        }
    }
}

/// Rounding may change the best of a few directions.
TEST(CudaMdsForces, ParentsAndPlacesAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Parents parents : {Parents::sorted, Parents::buckets}) {
        for (const Dissimilarities& items : {points(small(5000), 9), points(small(600), 20, Metric::cosine),
                                             matrix(small(700), true), matrix(small(700), false)}) {
            for (const int dim : {1, 2, 3}) {
                BothSprings both(items, dim, 5, 10);
                const Index n = items.size();
                place_others(both.cpu, interpolation_of(both.source.between(), both.here, 30, parents, 3), n);
                place_others(both.cuda, interpolation_of(both.on_device.between(), both.there, 30, parents, 3), n);
                const auto y = both.cuda.host(both.there.y);
                EXPECT_LE(share_elsewhere(y, both.here.y), 0.02)
                    << n << " items, " << dim << "-D, " << name_of(parents);
                EXPECT_GT(agree::relative_error(both.here.y, both.map.coordinates), 1e-3);
            }
        }
    }
}

TEST(CudaMdsForces, WholeMapsAreAsGoodAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    const auto items = points(3000, 3);
    for (const Method method : {Method::gpu_sf, Method::glimmer, Method::hybrid, Method::stochastic}) {
        Options o{.method = method};
        if (method == Method::stochastic) o.iterations = 500;
        const Map cpu = place(items, o, {.device = Device::cpu}).map;
        const Map cuda = place(items, o, {.device = Device::cuda}).map;
        EXPECT_NEAR(stress_of(items, cuda), stress_of(items, cpu), 0.05 * stress_of(items, cpu)) << name_of(method);
    }
}

TEST(CudaMdsForces, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Dissimilarities& items : {points(small(5000), 9), matrix(small(300), false)}) {
        for (const Method method : {Method::gpu_sf, Method::glimmer, Method::hybrid, Method::stochastic}) {
            const Options o{.method = method, .iterations = agree::only_small() ? 4 : 30};
            const dunlin::Run run{.device = Device::cuda, .seed = 4};
            EXPECT_EQ(place(items, o, run).map.coordinates, place(items, o, run).map.coordinates);
        }
    }
}

}  // namespace
}  // namespace dunlin::mds
