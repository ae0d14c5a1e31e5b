// SPDX-License-Identifier: Apache-2.0
// The kernels of communities for GPUs, emulated on the CPU: whole runs with their moving and refinement beside runs
// without.
#include <dunlin/communities.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "cases/communities.hpp"
#include "communities/cpu_engine.hpp"
#include "communities/optimize.hpp"
#include "math/at.hpp"

#include "cases/emulated_gpu.hpp"

namespace dunlin::communities {

using std::min;

inline void __syncthreads() { emulated::Block::running->wait_for_block(); }
inline void __syncwarp(unsigned) { emulated::Block::running->wait_for_warp(); }
inline int __syncthreads_or(int is_true) { return emulated::Block::running->any_of_block(is_true != 0) ? 1 : 0; }
/// The value of another thread of the warp, or one's own if there is none.
template <class T>
T of_lane(T value, int lane) {
    static T values[1024];
    const unsigned me = emulated::Block::thread.x, other = me / 32 * 32 + static_cast<unsigned>(lane);
    values[me] = value;
    emulated::Block::running->wait_for_warp();
    const T got = lane >= 0 && lane < 32 && other < emulated::Block::running->size.x ? values[other] : value;
    emulated::Block::running->wait_for_warp();
    return got;
}
inline int emulated_lane() { return static_cast<int>(emulated::Block::thread.x % 32); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int lanes) {
    return of_lane(value, emulated_lane() ^ lanes);
}
template <class T>
T __shfl_up_sync(unsigned, T value, int lanes) {
    return of_lane(value, emulated_lane() - lanes);
}
inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1; }
template <class T>
T atomicAdd(T* sum, std::type_identity_t<T> value) {
    return std::exchange(*sum, *sum + value);
}
inline void atomicOr(unsigned* all, unsigned bits) { *all |= bits; }
inline Index atomicCAS(Index* place, Index expected, Index value) {
    return *place == expected ? std::exchange(*place, value) : *place;
}

}  // namespace dunlin::communities

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "communities/cuda/moving_kernels.cuh"
#include "communities/cuda/refinement_kernels.cuh"
#pragma GCC diagnostic pop

namespace dunlin::communities {
namespace {

unsigned blocks_of(std::size_t count, int threads) {
    return static_cast<unsigned>((count + at(threads) - 1) / at(threads));
}

/// The phases that have kernels, by these.
class EmulatedEngine : public CpuEngine {
public:
    EmulatedEngine(device::Cpu& cpu, const Problem& problem, bool descending)
        : CpuEngine(cpu, problem), descending_(descending) {}

    void move(const Level& level, std::uint64_t seed, Labels& community) {
        const std::size_t n = at(level.size());
        sums_.assign(n, {});
        for (std::size_t v = 0; v < n; ++v) {
            sums_[at(community[v])].mass += level.masses[v];
            ++sums_[at(community[v])].size;
        }
        std::vector<std::uint8_t> active(n, 1);
        choices_.assign(n, -1);
        std::vector<Index> alone(n, -1);
        std::vector<unsigned> is_alone((n + 31) / 32, 0);
        MovingState state{};
        const MovingTask task{view(level),     aim().objective, community.data(), sums_.data(), active.data(),
                              choices_.data(), is_alone.data(), alone.data(),     &state};
        for (int round = 0; round < most_move_rounds; ++round) {
            if (round > 0 && state.moved == 0) break;
            state.moved = 0;
            std::vector<Index> members[move_classes][kinds];
            for (Index v = 0; v < level.size(); ++v) {
                if (active[at(v)] != 0) members[class_of(seed, v, round)][kind_of(level.degree(v))].push_back(v);
            }
            for (const auto& by_kind : members) {
                each_kind([&]<int Kind>() { choose<Kind>(task, by_kind[Kind]); });
                if (state.alone > 0) launch(1, order_threads, [&] { give_own_communities_kernel(task); });
                each_kind([&]<int Kind>() {
                    const auto& of_kind = by_kind[Kind];
                    launch(blocks_of(of_kind.size(), 64), 64,
                           [&] { move_kernel(task, of_kind.data(), std::ssize(of_kind)); });
                });
                each_kind([&]<int Kind>() {
                    const auto& of_kind = by_kind[Kind];
                    launch_groups<Kind>(of_kind.size(),
                                        [&] { activate_kernel<Kind>(task, of_kind.data(), std::ssize(of_kind)); });
                });
            }
        }
    }

    void refine(const Level& level, std::uint64_t seed, const Labels& community, Labels& part) {
        const std::size_t n = at(level.size());
        part.assign(n, -1);
        std::vector<Weight> masses(n), cuts(n);
        std::vector<std::uint16_t> bits(n);
        std::vector<std::uint8_t> is_single(n), grown(n), joined(n);
        std::vector<Index> candidates(n);
        const RefinementTask task{view(level),       aim().objective,  seed,          community.data(),
                                  sums_.data(),      part.data(),      masses.data(), cuts.data(),
                                  bits.data(),       is_single.data(), grown.data(),  joined.data(),
                                  candidates.data(), choices_.data()};
        std::vector<Index> members[kinds];
        for (Index v = 0; v < level.size(); ++v) members[kind_of(level.degree(v))].push_back(v);
        each_kind([&]<int Kind>() {
            sum_rows<Kind>(level, members[Kind], LinkInside{view(level), community.data()}, BeginVertex{task});
        });
        for (int round = 0; round < star_rounds; ++round) {
            for (auto& of_kind : members) of_kind.clear();
            for (Index v = 0; v < level.size(); ++v) {
                if (set_candidate(task, v) && moves_in_round(bits[at(v)], round))
                    members[kind_of(level.degree(v))].push_back(v);
            }
            each_kind([&]<int Kind>() {
                const auto& of_kind = members[Kind];
                launch_with_tables<Kind>(level, of_kind.size(), [&](const HubTables& hubs) {
                    choose_parts_kernel<Kind>(task, round, of_kind.data(), std::ssize(of_kind), hubs);
                });
            });
            each_kind([&]<int Kind>() {
                const auto& of_kind = members[Kind];
                launch(blocks_of(of_kind.size(), 64), 64,
                       [&] { join_kernel(task, round, of_kind.data(), std::ssize(of_kind)); });
            });
            each_kind([&]<int Kind>() { sum_rows<Kind>(level, members[Kind], ClosedLink{task, round}, AddCut{task}); });
        }
    }

private:
    static LevelView view(const Level& level) {
        return {level.size(), level.offsets.data(), level.targets.data(), level.weights.data(), level.masses.data()};
    }
    template <class Act>
    static void each_kind(const Act& act) {
        act.template operator()<0>();
        act.template operator()<1>();
        act.template operator()<2>();
        act.template operator()<3>();
    }
    void launch(unsigned blocks, int threads, const std::function<void()>& kernel) const {
        if (blocks > 0) emulated::launch({blocks, 1, 1}, static_cast<unsigned>(threads), 0, descending_, kernel);
    }
    template <int Kind>
    void launch_groups(std::size_t count, const std::function<void()>& kernel) const {
        launch(blocks_of(count, block_of<Kind> / threads_of_kind[Kind]), block_of<Kind>, kernel);
    }
    template <int Kind>
    void launch_with_tables(const Level& level, std::size_t count,
                            const std::function<void(const HubTables&)>& kernel) {
        if constexpr (Kind == hub_kind) {
            constexpr std::size_t blocks = 2;  // fewer than hubs
            if (count == 0) return;
            Offset most = 0;
            for (Index v = 0; v < level.size(); ++v) most = std::max(most, level.degree(v));
            const std::size_t slots = slots_of(most);
            std::vector<Index> keys(blocks * slots);
            std::vector<unsigned long long> sums(blocks * slots);
            launch(blocks, block_of<Kind>, [&] { kernel({keys.data(), sums.data(), static_cast<Offset>(slots)}); });
        } else {
            launch_groups<Kind>(count, [&] { kernel({}); });
        }
    }
    template <int Kind>
    void choose(const MovingTask& task, const std::vector<Index>& members) {
        launch_with_tables<Kind>(*level_of(task), members.size(), [&](const HubTables& hubs) {
            choose_moves_kernel<Kind>(task, members.data(), std::ssize(members), hubs);
        });
    }
    /// The level of a task, for its degrees.
    const Level* level_of(const MovingTask& task) {
        if (task.level.offsets == base().offsets.data()) return &base();
        degrees_of_.offsets.assign(task.level.offsets, task.level.offsets + task.level.size + 1);
        return &degrees_of_;
    }
    template <int Kind, class Value, class Act>
    void sum_rows(const Level& level, const std::vector<Index>& members, const Value& value, const Act& act) const {
        launch_groups<Kind>(members.size(), [&] {
            row_sums_kernel<Kind>(view(level), members.data(), std::ssize(members), value, act);
        });
    }

    bool descending_;
    std::vector<CommunitySums> sums_;
    std::vector<Index> choices_;
    Level degrees_of_;
};

void expect_same(const Graph& graph, const Options& options, bool descending, std::span<const Index> start = {}) {
    device::Cpu cpu(1);
    const UndirectedGraph whole = undirected(cpu, graph, Symmetrize::either);
    const Problem problem = problem_of(cpu, whole, options);
    std::vector<Index> from(start.begin(), start.end());
    if (from.empty()) {
        from.resize(at(graph.size()));
        std::iota(from.begin(), from.end(), 0);
    }
    Result expected, found;
    expected.options = found.options = options;
    CpuEngine engine(cpu, problem);
    optimize(engine, from, {}, expected);
    EmulatedEngine emulated(cpu, problem, descending);
    optimize(emulated, from, {}, found);
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(found.levels, expected.levels);
    EXPECT_EQ(found.quality, expected.quality);
}

TEST(CommunityKernels, GiveTheBytesOfTheCpu) {
    const Graph graphs[] = {made::karate(), made::planted(120, 20, 3, 2, 1), made::lattice(8, 8),
                            made::power_law_graph(120, 360)};
    for (const bool descending : {false, true}) {
        for (const Graph& graph : graphs) {
            for (const Options& options :
                 {Options{}, Options{.method = Method::louvain}, Options{.resolution = 0.05, .quality = Quality::cpm}})
                expect_same(graph, options, descending);
        }
    }
}

TEST(CommunityKernels, OfHubsAndOfCommunitiesThatBreakUp) {
    for (const bool descending : {false, true}) {
        std::vector<made::Edge> edges;
        for (Index v = 3; v < 1100; ++v) {
            edges.push_back({0, v, 1});
            if (v % 8 == 0) edges.push_back({1, v, 2});
            if (v % 80 == 0) edges.push_back({2, v, 3});
            if (v % 3 == 0) edges.push_back({v - 1, v, 2});
        }
        expect_same(made::graph_of(1100, edges), {.iterations = 1}, descending);
        // Vertices of one community that are better alone, more than there are empty ones at first
        const Graph graph = made::planted(200, 10, 2, 1, 3);
        std::vector<Index> start(200);
        for (const Index groups : {1, 3, 50}) {
            for (Index v = 0; v < 200; ++v) start[at(v)] = v * 7 % groups;
            expect_same(graph, {.resolution = 2, .iterations = 1}, descending, start);
            expect_same(graph, {.resolution = 1e3, .iterations = 1, .quality = Quality::cpm}, descending, start);
        }
    }
}

}  // namespace
}  // namespace dunlin::communities
