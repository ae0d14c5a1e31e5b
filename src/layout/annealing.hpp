// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "device/cancel.hpp"
#include "device/cpu.hpp"
#include "layout/annealing_costs.hpp"
#include "layout/drawing.hpp"

/// Simulated annealing (Davidson and Harel 1996, "Drawing graphs nicely using simulated annealing", ACM Transactions on
/// Graphics 15): vertices move at random; a move is kept if it lowers the cost, or raises it by little enough.
///
/// Many moves are looked at at once, from the same positions; the first that is to be kept is carried out, those before
/// it were refused, and those behind it are looked at again. That is what one move after another would have come to, so
/// the result does not depend on how many are looked at together.
namespace dunlin::layout {

constexpr int most_at_once = 256;

/// Edges, in the order of their sources; every one in both directions.
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
    EdgeArrays<Exec> wires;
    exec.upload(wires.offsets, std::span<const Offset>(graph.offsets));
    exec.upload(wires.sources, std::span<const Index>(sources));
    exec.upload(wires.targets, std::span<const Index>(graph.targets));
    exec.upload(wires.weights, std::span<const float>(graph.weights));
    return wires;
}

/// Where the run has come to.
struct AnnealingState {
    Offset next = 0;           ///< the move to be looked at next
    Offset last_kept = 0;      ///< the move after the last that was kept
    int at_once = 1;           ///< moves to look at together: few while most are kept
    int first = most_at_once;  ///< of these, the first that is to be kept; none: most_at_once
};

/// The drawing as a move's cost sees it.
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

    /// What the move would raise the cost by, one share of it of several.
    DUNLIN_HD double rise(const Move<D>& move, int share, int shares) const {
        const double rise = pairs_rise(move, share, shares) + edges_rise(move, share, shares);
        return D == 2 && costs.crossing > 0 ? rise + crossings_rise(move, share, shares) : rise;
    }
    /// The pairs that the moved vertex is of.
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
    /// Crossings of the moved vertex's edges with all others that end elsewhere.
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

/// The next moves, the k-th of them being number course->next + k.
template <int D>
struct NextMoves {
    AnnealingProblem<D> scene;
    AnnealingState* course;
    double* rises;  ///< of the cost, by the k-th

    /// How many are looked at together.
    DUNLIN_HD int count() const {
        const Offset left = scene.schedule.all_moves() - course->next;
        return left < course->at_once ? static_cast<int>(left) : course->at_once;
    }
    DUNLIN_HD Move<D> move(Offset k) const { return move_at<D>(scene.schedule, course->next + k, scene.n, scene.y); }
    DUNLIN_HD bool keeps(Offset k, double rise) const {
        return scene.schedule.takes(rise, course->next + k) && scene.pinned[move(k).vertex] == 0;
    }
};

/// Writes the rises of the next moves and notes the first that is to be kept. A GPU has a kernel for it.
template <int D>
void look_at(device::Cpu& cpu, const NextMoves<D>& moves) {
    const int count = moves.count();
    const auto look = [&](Offset k) { moves.rises[k] = moves.scene.rise(moves.move(k), 0, 1); };
    cpu.each(count, look, std::max(1, 20000 / (moves.scene.n + 1)));  // a few at a time where they are quick
    int first = 0;
    while (first < count && !moves.keeps(first, moves.rises[first])) ++first;
    if (first < count) moves.course->first = first;
}

/// Carries out the first of the moves that is to be kept, and goes on behind it.
template <int D>
struct ApplyFirstAccepted {
    NextMoves<D> moves;
    DUNLIN_HD void operator()(Offset) const {
        AnnealingState& course = *moves.course;
        const int count = moves.count();
        // Next twice as many as it took, or as there were
        Offset wanted = 2 * Offset{course.at_once};
        if (course.first < count) {
            const Move<D> move = moves.move(course.first);
            for (int c = 0; c < D; ++c) moves.scene.y[Offset{move.vertex} * D + c] = move.to[c];
            wanted = 2 * (Offset{course.first} + 1);
            course.next = course.last_kept = course.next + course.first + 1;
        } else {
            course.next += count;
        }
        course.at_once = static_cast<int>(wanted < most_at_once ? wanted : most_at_once);
        course.first = most_at_once;
    }
};

/// Makes moves while few are worth looking at together: a GPU's business, whose every launch takes long.
template <int D>
void walk(device::Cpu& /*cpu*/, const NextMoves<D>& /*moves*/) {}

/// A vertex's share of the whole cost: pairs and edges with those before it. Crossings are counted by `Crossed`.
template <int D>
struct CostOf {
    AnnealingProblem<D> scene;
    DUNLIN_HD double operator()(Offset i) const {
        double sum = 0;
        const float* at = scene.y + i * D;
        for (Index j = 0; j < i; ++j) sum += double(scene.costs.of_pair(scene.square(at, scene.y + Offset{j} * D)));
        for (Offset e = scene.offsets[i]; e < scene.offsets[i + 1]; ++e) {
            const Index j = scene.targets[e];
            if (j < i) sum += double(scene.costs.of_edge(scene.weights[e], scene.square(at, scene.y + Offset{j} * D)));
        }
        return sum;
    }
};

/// Crossings of an edge with those behind it.
struct CrossingCost {
    AnnealingProblem<2> scene;
    DUNLIN_HD double operator()(Offset e) const {
        const Index a = scene.sources[e], b = scene.targets[e];
        double count = 0;
        for (Offset f = e + 1; a < b && f < scene.edges; ++f) {
            const Index c = scene.sources[f], d = scene.targets[f];
            if (c > d || c == a || c == b || d == a || d == b) continue;
            count += crosses(scene.y + 2 * Offset{a}, scene.y + 2 * Offset{b}, scene.y + 2 * Offset{c},
                             scene.y + 2 * Offset{d})
                         ? 1
                         : 0;
        }
        return scene.costs.crossing * count;
    }
};

/// The cost of the drawing; waits for the device.
template <int D, class Exec>
double whole_cost(Exec& exec, const AnnealingProblem<D>& scene) {
    typename Exec::template Cell<double> sum;
    exec.sum(scene.n, CostOf<D>{scene}, sum);
    double cost = exec.read(sum);
    if constexpr (D == 2) {
        if (scene.costs.crossing > 0) {
            exec.sum(scene.edges, CrossingCost{scene}, sum);
            cost += exec.read(sum);
        }
    }
    return cost;
}

/// The median of what the first moves raise the cost by, of those that do.
template <int D, class Exec>
double typical_rise(Exec& exec, const AnnealingProblem<D>& scene, typename Exec::template Buffer<double>& rises) {
    typename Exec::template Cell<AnnealingState> course;
    exec.set(course, AnnealingState{.at_once = most_at_once});
    look_at(exec, NextMoves<D>{scene, exec.address(course), rises.data()});
    std::vector<double> above = exec.host(rises);
    std::erase_if(above, [](double rise) { return !(rise > 0); });
    if (above.empty()) return 0;
    std::nth_element(above.begin(), above.begin() + static_cast<Offset>(above.size() / 2), above.end());
    return above[above.size() / 2];
}

/// Until all moves are made, or a stage has gone by in which none was kept. Options are resolved.
template <int D, class Exec>
Termination anneal(Exec& exec, Drawing<Exec>& drawing, AnnealingProblem<D> scene, const Options& o, const Run& run) {
    typename Exec::template Buffer<double> rises;
    exec.fill(rises, static_cast<std::size_t>(most_at_once), 0.0);
    typename Exec::template Cell<AnnealingState> cell;
    exec.set(cell, AnnealingState{});
    Schedule& schedule = scene.schedule;
    device::ProgressReporter reporter(run, "optimize", schedule.all_moves());
    const bool begun = device::run_cancellable(run.stop, [&] {
        if (!o.temperature) schedule.temperature = typical_rise(exec, scene, rises);
    });
    if (!begun) return {0, Stopped::cancelled};
    const auto ending = [&](Offset move, Stopped stopped) {
        return Termination{static_cast<int>((move + schedule.moves - 1) / schedule.moves), stopped};
    };
    for (;;) {
        const bool done = device::run_cancellable(run.stop, [&] {
            exec.replay([&] {
                const NextMoves<D> moves{scene, exec.address(cell), rises.data()};
                for (int batch = 0; batch < check_every; ++batch) {
                    walk(exec, moves);
                    look_at(exec, moves);
                    const device::Uncancellable whole;
                    exec.each(1, ApplyFirstAccepted<D>{moves});
                }
            });
        });
        const AnnealingState course = exec.read(cell);
        if (!done) return ending(course.next, Stopped::cancelled);
        if (course.next >= schedule.all_moves()) return ending(course.next, Stopped::budget);
        if (course.next - course.last_kept >= schedule.moves) return ending(course.next, Stopped::converged);
        reporter.tick(course.next, [&] { return exec.host(drawing.y); });
    }
}

/// From the width of the drawing to a hundredth of an edge.
inline Schedule schedule_of(const Options& o, Index n, std::uint64_t seed) {
    const double width = std::max(1.0, std::pow(n, 1.0 / o.dim)), least = 0.01;
    const int stages = std::max(1, *o.iterations);
    return {.acceptance = *o.acceptance,
            .seed = seed,
            .moves = Offset{*o.moves} * std::max<Index>(n, 1),
            .stages = stages,
            .temperature = static_cast<double>(o.temperature.value_or(0)),
            .cooling = static_cast<double>(*o.cooling),
            .reach = width / 2,
            .shrink = std::pow(2 * least / width, 1.0 / std::max(1, stages - 1))};
}

/// Options are resolved. cost: the drawing's in the end.
template <class Exec>
Termination annealing(Exec& exec, Drawing<Exec>& drawing, const Graph& graph, const Options& o, const Run& run,
                 double& cost) {
    if (drawing.n == 0 || *o.iterations == 0) return {0, Stopped::budget};
    const EdgeArrays<Exec> wires = edge_arrays(exec, graph);
    Termination ending;
    by_dimension(drawing.dim, [&]<int D>() {
        const AnnealingProblem<D> scene{Costs{*o.cost, *o.charge, *o.attraction, *o.crossing},
                             schedule_of(o, drawing.n, run.seed),
                             drawing.n,
                             graph.edges(),
                             drawing.y.data(),
                             drawing.pinned.data(),
                             wires.offsets.data(),
                             wires.sources.data(),
                             wires.targets.data(),
                             wires.weights.data()};
        ending = anneal<D>(exec, drawing, scene, o, run);
        exec.forget();
        const bool scored = device::run_cancellable(run.stop, [&] { cost = whole_cost<D>(exec, scene); });
        if (!scored) cost = std::numeric_limits<double>::quiet_NaN();
    });
    return ending;
}

}  // namespace dunlin::layout
