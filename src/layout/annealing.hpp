#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

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
struct Wires {
    typename Exec::template Buffer<Offset> offsets;
    typename Exec::template Buffer<Index> sources, targets;
    typename Exec::template Buffer<float> weights;
};

template <class Exec>
Wires<Exec> wires_of(Exec& exec, const Graph& graph) {
    std::vector<Index> sources;
    for (Index i = 0; i < graph.size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        sources.insert(sources.end(), static_cast<std::size_t>(graph.offsets[row + 1] - graph.offsets[row]), i);
    }
    Wires<Exec> wires;
    exec.upload(wires.offsets, std::span<const Offset>(graph.offsets));
    exec.upload(wires.sources, std::span<const Index>(sources));
    exec.upload(wires.targets, std::span<const Index>(graph.targets));
    exec.upload(wires.weights, std::span<const float>(graph.weights));
    return wires;
}

/// Where the run has come to.
struct Course {
    Offset next = 0;       ///< the move to be looked at next
    Offset last_kept = 0;  ///< the move after the last that was kept
    int at_once = 1;       ///< moves to look at together: few while most are kept
};

/// The drawing as a move's cost sees it.
template <int D>
struct Scene {
    Costs costs;
    Schedule schedule;
    Index n;
    Offset edges;
    float* y;
    const std::uint8_t* pinned;
    const Offset* offsets;
    const Index *sources, *targets;
    const float* weights;
    int shares;  ///< in which a move's cost is added up

    /// A share of the pairs that the moved vertex is of.
    DUNLIN_HD double pairs_rise(const Move<D>& move, int share) const {
        double rise = 0;
        for (Index j = share; j < n; j += shares) {
            if (j != move.vertex)
                rise += double(costs.of_pair(after(move, j))) - double(costs.of_pair(before(move, j)));
        }
        return rise;
    }
    DUNLIN_HD double edges_rise(const Move<D>& move, int share) const {
        double rise = 0;
        for (Offset e = offsets[move.vertex] + share; e < offsets[move.vertex + 1]; e += shares) {
            const Index j = targets[e];
            rise +=
                double(costs.of_edge(weights[e], after(move, j))) - double(costs.of_edge(weights[e], before(move, j)));
        }
        return rise;
    }
    /// Crossings of the moved vertex's edges with a share of all others that end elsewhere.
    DUNLIN_HD double crossings_rise(const Move<D>& move, int share) const {
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

/// Item k * shares + s: share s of what the k-th of the next moves would raise the cost by.
template <int D>
struct Weigh {
    Scene<D> scene;
    const Course* course;
    double* rises;
    DUNLIN_HD void operator()(Offset item) const {
        const Offset k = item / scene.shares, number = course->next + k;
        if (k >= course->at_once || number >= scene.schedule.all_moves()) return;
        const auto share = static_cast<int>(item % scene.shares);
        const Move<D> move = move_at<D>(scene.schedule, number, scene.n, scene.y);
        double rise = scene.pairs_rise(move, share) + scene.edges_rise(move, share);
        if (D == 2 && scene.costs.crossing > 0) rise += scene.crossings_rise(move, share);
        rises[item] = rise;
    }
};

/// A GPU's threads share a move; a CPU's take moves, a few at a time where they are quick.
template <int D>
void weigh(device::Cpu& cpu, const Weigh<D>& weigh) {
    cpu.each(weigh.course->at_once, weigh, std::max(1, 20000 / (weigh.scene.n + 1)));
}

struct AddShares {
    const Course* course;
    int shares;
    double* rises;  // in: shares of each; out: the k-th whole at its first share
    DUNLIN_HD void operator()(Offset k) const {
        if (k >= course->at_once) return;
        double sum = 0;
        for (int s = 0; s < shares; ++s) sum += rises[k * shares + s];
        rises[k * shares] = sum;
    }
};

/// Carries out the first of the moves that is to be kept.
template <int D>
struct KeepFirst {
    Scene<D> scene;
    const double* rises;
    Course* course;
    DUNLIN_HD void operator()(Offset) const {
        const Offset all = scene.schedule.all_moves(), begin = course->next;
        const Offset end = begin + course->at_once < all ? begin + course->at_once : all;
        for (Offset number = begin; number < end; ++number) {
            if (!scene.schedule.takes(rises[(number - begin) * scene.shares], number)) continue;
            const Move<D> move = move_at<D>(scene.schedule, number, scene.n, scene.y);
            if (scene.pinned[move.vertex] != 0) continue;
            for (int c = 0; c < D; ++c) scene.y[Offset{move.vertex} * D + c] = move.to[c];
            course->next = course->last_kept = number + 1;
            // Twice as many as it took
            const Offset wanted = 2 * (number + 1 - begin);
            course->at_once = static_cast<int>(wanted < most_at_once ? wanted : most_at_once);
            return;
        }
        course->next = end;
        course->at_once = 2 * course->at_once < most_at_once ? 2 * course->at_once : most_at_once;
    }
};

/// A vertex's share of the whole cost: pairs and edges with those before it. Crossings are counted by `Crossed`.
template <int D>
struct CostOf {
    Scene<D> scene;
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
struct Crossed {
    Scene<2> scene;
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
double whole_cost(Exec& exec, const Scene<D>& scene) {
    typename Exec::template Cell<double> sum;
    exec.sum(scene.n, CostOf<D>{scene}, sum);
    double cost = exec.read(sum);
    if constexpr (D == 2) {
        if (scene.costs.crossing > 0) {
            exec.sum(scene.edges, Crossed{scene}, sum);
            cost += exec.read(sum);
        }
    }
    return cost;
}

/// Looks at the next moves and keeps the first that is to be kept; only enqueues.
template <int D, class Exec, class Cell>
void look_at_moves(Exec& exec, const Scene<D>& scene, typename Exec::template Buffer<double>& rises, Cell& course) {
    weigh(exec, Weigh<D>{scene, exec.address(course), rises.data()});
    exec.each(most_at_once, AddShares{exec.address(course), scene.shares, rises.data()});
    exec.each(1, KeepFirst<D>{scene, rises.data(), exec.address(course)});
}

/// The median of what the first moves raise the cost by, of those that do.
template <int D, class Exec>
double typical_rise(Exec& exec, const Scene<D>& scene, typename Exec::template Buffer<double>& rises) {
    typename Exec::template Cell<Course> course;
    exec.set(course, Course{.at_once = most_at_once});
    weigh(exec, Weigh<D>{scene, exec.address(course), rises.data()});
    exec.each(most_at_once, AddShares{exec.address(course), scene.shares, rises.data()});
    const std::vector<double> all = exec.host(rises);
    std::vector<double> above;
    for (std::size_t k = 0; k < all.size(); k += static_cast<std::size_t>(scene.shares)) {
        if (all[k] > 0) above.push_back(all[k]);
    }
    if (above.empty()) return 0;
    std::nth_element(above.begin(), above.begin() + static_cast<Offset>(above.size() / 2), above.end());
    return above[above.size() / 2];
}

/// Until all moves are made, or a stage has gone by in which none was kept. Options are resolved.
template <int D, class Exec>
Ending anneal(Exec& exec, Drawing<Exec>& drawing, Scene<D> scene, const Options& o, const Run& run) {
    typename Exec::template Buffer<double> rises;
    exec.fill(rises, static_cast<std::size_t>(most_at_once) * static_cast<std::size_t>(scene.shares), 0.0);
    typename Exec::template Cell<Course> cell;
    exec.set(cell, Course{});
    Schedule& schedule = scene.schedule;
    if (!o.temperature) schedule.temperature = typical_rise(exec, scene, rises);

    device::Ticker ticker(run, "optimise", schedule.all_moves());
    const auto ending = [&](Offset move, Stopped stopped) {
        return Ending{static_cast<int>((move + schedule.moves - 1) / schedule.moves), stopped};
    };
    for (;;) {
        for (int batch = 0; batch < check_every; ++batch) {
            exec.replay([&] { look_at_moves<D>(exec, scene, rises, cell); });
        }
        const Course course = exec.read(cell);
        if (course.next >= schedule.all_moves()) return ending(course.next, Stopped::budget);
        if (course.next - course.last_kept >= schedule.moves) return ending(course.next, Stopped::converged);
        if (run.stop.stop_requested()) return ending(course.next, Stopped::cancelled);
        ticker.tick(course.next, [&] { return exec.host(drawing.y); });
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

/// Options are resolved. shares: threads that a move is worth; cost: the drawing's in the end.
template <class Exec>
Ending annealing(Exec& exec, Drawing<Exec>& drawing, const Graph& graph, const Options& o, const Run& run, int shares,
                 double& cost) {
    if (drawing.n == 0 || *o.iterations == 0) return {0, Stopped::budget};
    const Wires<Exec> wires = wires_of(exec, graph);
    Ending ending;
    by_dimension(drawing.dim, [&]<int D>() {
        const Scene<D> scene{Costs{*o.cost, *o.charge, *o.attraction, *o.crossing},
                             schedule_of(o, drawing.n, run.seed),
                             drawing.n,
                             graph.edges(),
                             drawing.y.data(),
                             drawing.pinned.data(),
                             wires.offsets.data(),
                             wires.sources.data(),
                             wires.targets.data(),
                             wires.weights.data(),
                             shares};
        ending = anneal<D>(exec, drawing, scene, o, run);
        exec.forget();
        cost = whole_cost<D>(exec, scene);
    });
    return ending;
}

}  // namespace dunlin::layout
