// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "device/cpu.hpp"
#include "layout/annealing_costs.hpp"
#include "layout/iterations.hpp"
#include "progress/cancel.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

/// Simulated annealing (Davidson and Harel 1996, "Drawing graphs nicely using simulated annealing", ACM Transactions on
/// Graphics 15): vertices move at random; a move is accepted if it lowers the cost, or raises it by little.
///
/// Moves are evaluated in batches from the same positions. The first acceptable move is applied, those before it are
/// rejected, and those after it are evaluated again. This equals sequential execution, so the result does not depend on
/// the batch size.
namespace dunlin::layout {

constexpr int max_batch = 256;

/// Edges in the order of their sources; every edge in both directions.
template <class Exec>
struct EdgeArrays {
    typename Exec::template Buffer<Offset> offsets;
    typename Exec::template Buffer<Index> sources, targets;
    typename Exec::template Buffer<float> weights;
};

template <class Exec>
EdgeArrays<Exec> edge_arrays(Exec& exec, const Graph& graph) {
    std::vector<Index> sources;
    for (Index i = 0; i < graph.size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        sources.insert(sources.end(), static_cast<std::size_t>(graph.offsets[row + 1] - graph.offsets[row]), i);
    }
    EdgeArrays<Exec> arrays;
    exec.upload(arrays.offsets, std::span<const Offset>(graph.offsets));
    exec.upload(arrays.sources, std::span<const Index>(sources));
    exec.upload(arrays.targets, std::span<const Index>(graph.targets));
    exec.upload(arrays.weights, std::span<const float>(graph.weights));
    return arrays;
}

/// State of the run.
struct AnnealingState {
    Offset next = 0;           ///< number of the next move to evaluate
    Offset last_accepted = 0;  ///< number of the move after the last accepted one
    int batch = 1;             ///< moves to evaluate together: few while most are accepted
    int first = max_batch;     ///< index of the first accepted move in the batch; max_batch: none

    /// Whether it can be the state between two batches.
    [[nodiscard]] bool fits() const {
        return last_accepted >= 0 && next >= last_accepted && batch >= 1 && batch <= max_batch && first == max_batch;
    }
};

/// The drawing and its costs, as kernels see them.
template <int D>
struct AnnealingProblem {
    Costs costs;
    Schedule schedule;
    Index n;
    Offset edges;
    float* y;
    const std::uint8_t* pinned;
    const Offset* offsets;
    const Index *sources, *targets;
    const float* weights;

    /// Increase of the cost by the move: part `share` of `shares`.
    DUNLIN_HD double rise(const Move<D>& move, int share, int shares) const {
        const double rise = pairs_rise(move, share, shares) + edges_rise(move, share, shares);
        return D == 2 && costs.crossing > 0 ? rise + crossings_rise(move, share, shares) : rise;
    }
    /// Change over the pairs of the moved vertex.
    DUNLIN_HD double pairs_rise(const Move<D>& move, int share, int shares) const {
        double rise = 0;
        for (Index j = share; j < n; j += shares) {
            if (j != move.vertex)
                rise += double(costs.of_pair(after(move, j))) - double(costs.of_pair(before(move, j)));
        }
        return rise;
    }
    DUNLIN_HD double edges_rise(const Move<D>& move, int share, int shares) const {
        double rise = 0;
        for (Offset e = offsets[move.vertex] + share; e < offsets[move.vertex + 1]; e += shares) {
            const Index j = targets[e];
            rise +=
                double(costs.of_edge(weights[e], after(move, j))) - double(costs.of_edge(weights[e], before(move, j)));
        }
        return rise;
    }
    /// Change of crossings between the moved vertex's edges and edges that share no end with them.
    DUNLIN_HD double crossings_rise(const Move<D>& move, int share, int shares) const {
        int rise = 0;
        const float* from = y + Offset{move.vertex} * D;
        for (Offset f = share; f < edges; f += shares) {
            const Index a = sources[f], b = targets[f];
            if (a > b || a == move.vertex || b == move.vertex) continue;
            for (Offset e = offsets[move.vertex]; e < offsets[move.vertex + 1]; ++e) {
                const Index u = targets[e];
                if (u == a || u == b) continue;
                const float *end = y + Offset{u} * D, *c = y + Offset{a} * D, *d = y + Offset{b} * D;
                rise += int(crosses(move.to, end, c, d)) - int(crosses(from, end, c, d));
            }
        }
        return double(costs.crossing) * rise;
    }

    DUNLIN_HD float after(const Move<D>& move, Index j) const { return square(move.to, y + Offset{j} * D); }
    DUNLIN_HD float before(const Move<D>& move, Index j) const {
        return square(y + Offset{move.vertex} * D, y + Offset{j} * D);
    }
    DUNLIN_HD static float square(const float* a, const float* b) {
        float r2 = 0;
        for (int c = 0; c < D; ++c) r2 += (a[c] - b[c]) * (a[c] - b[c]);
        return r2;
    }
};

/// The next moves; move k has number state->next + k.
template <int D>
struct NextMoves {
    AnnealingProblem<D> problem;
    AnnealingState* state;
    double* rises;  ///< increase of the cost by move k

    /// Number of moves in this batch.
    DUNLIN_HD int count() const {
        const Offset left = problem.schedule.all_moves() - state->next;
        return left < state->batch ? static_cast<int>(left) : state->batch;
    }
    DUNLIN_HD Move<D> move(Offset k) const {
        return move_at<D>(problem.schedule, state->next + k, problem.n, problem.y);
    }
    DUNLIN_HD bool is_accepted(Offset k, double rise) const {
        return problem.schedule.accepts(rise, state->next + k) && problem.pinned[move(k).vertex] == 0;
    }
};

/// Computes the cost increases of the batch and the first accepted move. A GPU uses a kernel instead.
template <int D>
void evaluate_moves(device::Cpu& cpu, const NextMoves<D>& moves) {
    const int count = moves.count();
    const auto look = [&](Offset k) { moves.rises[k] = moves.problem.rise(moves.move(k), 0, 1); };
    cpu.each(count, look, std::max(1, 20000 / (moves.problem.n + 1)));  // several per block if they are cheap
    int first = 0;
    while (first < count && !moves.is_accepted(first, moves.rises[first])) ++first;
    if (first < count) moves.state->first = first;
}

/// Applies the first accepted move and advances past it.
template <int D>
struct ApplyFirstAccepted {
    NextMoves<D> moves;
    DUNLIN_HD void operator()(Offset) const {
        AnnealingState& state = *moves.state;
        const int count = moves.count();
        // The next batch is twice as large as the number of moves consumed
        Offset wanted = 2 * Offset{state.batch};
        if (state.first < count) {
            const Move<D> move = moves.move(state.first);
            for (int c = 0; c < D; ++c) moves.problem.y[Offset{move.vertex} * D + c] = move.to[c];
            wanted = 2 * (Offset{state.first} + 1);
            state.next = state.last_accepted = state.next + state.first + 1;
        } else {
            state.next += count;
        }
        state.batch = static_cast<int>(wanted < max_batch ? wanted : max_batch);
        state.first = max_batch;
    }
};

/// Sequential moves while batches are small. Only for a GPU, where launches are expensive.
template <int D>
void run_sequentially(device::Cpu& /*cpu*/, const NextMoves<D>& /*moves*/) {}

/// A vertex's share of the total cost: pairs and edges with vertices before it, without crossings.
template <int D>
struct CostOf {
    AnnealingProblem<D> problem;
    DUNLIN_HD double operator()(Offset i) const {
        double sum = 0;
        const float* at = problem.y + i * D;
        for (Index j = 0; j < i; ++j)
            sum += double(problem.costs.of_pair(problem.square(at, problem.y + Offset{j} * D)));
        for (Offset e = problem.offsets[i]; e < problem.offsets[i + 1]; ++e) {
            const Index j = problem.targets[e];
            if (j < i)
                sum += double(problem.costs.of_edge(problem.weights[e], problem.square(at, problem.y + Offset{j} * D)));
        }
        return sum;
    }
};

/// Cost of the crossings of an edge with the edges after it.
struct CrossingCost {
    AnnealingProblem<2> problem;
    DUNLIN_HD double operator()(Offset e) const {
        const Index a = problem.sources[e], b = problem.targets[e];
        double count = 0;
        for (Offset f = e + 1; a < b && f < problem.edges; ++f) {
            const Index c = problem.sources[f], d = problem.targets[f];
            if (c > d || c == a || c == b || d == a || d == b) continue;
            count += crosses(problem.y + 2 * Offset{a}, problem.y + 2 * Offset{b}, problem.y + 2 * Offset{c},
                             problem.y + 2 * Offset{d})
                         ? 1
                         : 0;
        }
        return problem.costs.crossing * count;
    }
};

/// The total cost; waits for the device.
template <int D, class Exec>
double whole_cost(Exec& exec, const AnnealingProblem<D>& problem) {
    typename Exec::template Cell<double> sum;
    exec.sum(problem.n, CostOf<D>{problem}, sum);
    double cost = exec.read(sum);
    if constexpr (D == 2) {
        if (problem.costs.crossing > 0) {
            exec.sum(problem.edges, CrossingCost{problem}, sum);
            cost += exec.read(sum);
        }
    }
    return cost;
}

/// Median of the positive cost increases among the first moves.
template <int D, class Exec>
double typical_rise(Exec& exec, const AnnealingProblem<D>& problem, typename Exec::template Buffer<double>& rises) {
    typename Exec::template Cell<AnnealingState> state;
    exec.set(state, AnnealingState{.batch = max_batch});
    evaluate_moves(exec, NextMoves<D>{problem, exec.address(state), rises.data()});
    std::vector<double> above = exec.host(rises);
    std::erase_if(above, [](double rise) { return !(rise > 0); });
    if (above.empty()) return 0;
    std::nth_element(above.begin(), above.begin() + static_cast<Offset>(above.size() / 2), above.end());
    return above[above.size() / 2];
}

/// Stages that have begun after so many moves.
inline int stages_of(const Schedule& schedule, Offset moves) {
    return static_cast<int>((moves + schedule.moves - 1) / schedule.moves);
}

/// The state of an annealing, whose iterations are moves.
template <class Exec, class State>
class KeptAnnealing : public run::Kept<State> {
public:
    using Cell = typename Exec::template Cell<AnnealingState>;

    KeptAnnealing(Exec& exec, State state, const Cell& cell, const Schedule& schedule)
        : run::Kept<State>(std::move(state)), exec_(exec), cell_(cell), schedule_(schedule) {}

    void write(checkpoint::ArchiveWriter& archive, const run::Position& at) override {
        run::Kept<State>::write(archive, {stages_of(schedule_, at.iteration), at.ended});
    }
    run::Position read(checkpoint::ArchiveReader& archive) override {
        const run::Position at = run::Kept<State>::read(archive);
        return {exec_.read(cell_).next, at.ended};
    }
    [[nodiscard]] Offset reached(Offset) override { return exec_.read(cell_).next; }

private:
    Exec& exec_;
    const Cell& cell_;
    const Schedule& schedule_;
};

/// The map of an annealing. Its watchers count stages.
template <class Exec>
class AnnealedMap : public run::BufferMap<Exec> {
public:
    AnnealedMap(Exec& exec, Drawing<Exec>& drawing, const Schedule& schedule)
        : run::BufferMap<Exec>(exec, drawing.y, drawing.n, drawing.dim), schedule_(schedule) {}

    bool show(live::Watcher& watcher, Offset move, bool now) override {
        return run::MovingMap::show(watcher, stages_of(schedule_, move), now);
    }

private:
    const Schedule& schedule_;
};

/// Runs until all moves are done or a whole stage accepted none. Options are resolved. Iterations of the result are
/// stages.
template <int D, class Exec>
run::Ending anneal(Exec& exec, Drawing<Exec>& drawing, AnnealingProblem<D> problem, const Options& o, const Run& run) {
    typename Exec::template Buffer<double> rises;
    exec.fill(rises, static_cast<std::size_t>(max_batch), 0.0);
    typename Exec::template Cell<AnnealingState> cell;
    exec.set(cell, AnnealingState{});
    Schedule& schedule = problem.schedule;
    const bool begun = progress::run_cancellable(run.stop, [&] {
        if (!o.temperature) schedule.temperature = typical_rise(exec, problem, rises);
    });
    if (!begun) return {0, Stopped::cancelled};
    KeptAnnealing state(exec, checkpoint::Remembered(exec, drawing.y, cell), cell, schedule);
    AnnealedMap map(exec, drawing, schedule);
    run::Loop loop(run, {"optimize", "annealing", schedule.all_moves()}, state, &map);
    while (loop.next()) {
        loop.step([&](Offset move) {
            exec.replay([&] {
                const NextMoves<D> moves{problem, exec.address(cell), rises.data()};
                for (int batch = 0; batch < check_every; ++batch) {
                    run_sequentially(exec, moves);
                    evaluate_moves(exec, moves);
                    const progress::Uncancellable whole;
                    exec.each(1, ApplyFirstAccepted<D>{moves});
                }
            });
            const AnnealingState now = exec.read(cell);
            loop.advances(now.next - move);
            const bool is_done = now.next >= schedule.all_moves();
            if (!is_done && now.next - now.last_accepted >= schedule.moves) loop.settled_after();
        });
    }
    return {stages_of(schedule, loop.iteration()), loop.ending().stopped};
}

/// Displacements fall from the width of the drawing to a hundredth of an edge length; on a line, where the start has an
/// order, from an edge length.
inline Schedule schedule_of(const Options& o, Index n, std::uint64_t seed) {
    const double width = o.dim == 1 ? 2.0 : std::max(1.0, std::pow(n, 1.0 / o.dim)), least = 0.01;
    const int stages = std::max(1, *o.iterations);
    return {.acceptance = *o.acceptance,
            .seed = seed,
            .moves = Offset{*o.moves} * std::max<Index>(n, 1),
            .stages = stages,
            .temperature = static_cast<double>(o.temperature.value_or(0)),
            .cooling = static_cast<double>(*o.cooling),
            .max_displacement = width / 2,
            .shrink = std::pow(2 * least / width, 1.0 / std::max(1, stages - 1))};
}

/// Options are resolved. cost: output, the final cost of the drawing.
template <class Exec>
run::Ending annealing(Exec& exec, Drawing<Exec>& drawing, const Graph& graph, const Options& o, const Run& run,
                      double& cost) {
    if (drawing.n == 0 || *o.iterations == 0) return {0, Stopped::budget};
    const EdgeArrays<Exec> arrays = edge_arrays(exec, graph);
    run::Ending ending;
    by_dimension(drawing.dim, [&]<int D>() {
        const AnnealingProblem<D> problem{Costs{*o.cost, *o.charge, *o.attraction, *o.crossing},
                                          schedule_of(o, drawing.n, run.seed),
                                          drawing.n,
                                          graph.edges(),
                                          drawing.y.data(),
                                          drawing.pinned.data(),
                                          arrays.offsets.data(),
                                          arrays.sources.data(),
                                          arrays.targets.data(),
                                          arrays.weights.data()};
        ending = anneal<D>(exec, drawing, problem, o, run);
        exec.forget();
        const bool scored = progress::run_cancellable(run.stop, [&] { cost = whole_cost<D>(exec, problem); });
        if (!scored) cost = std::numeric_limits<double>::quiet_NaN();
    });
    return ending;
}

}  // namespace dunlin::layout
