#include "mds/fixed.hpp"

#include <cmath>
#include <limits>

#include "math/rng.hpp"
#include "mds/anneal.hpp"
#include "mds/distance.hpp"
#include "mds/pull.hpp"

namespace dunlin::mds {

namespace {

constexpr std::uint64_t looks = 32;

/// Which points of the map have coordinates, and which do not.
struct Split {
    std::vector<Index> fixed, free;
};

Split split(const Map& map) {
    Split parts;
    for (Index i = 0; i < map.size(); ++i) {
        const bool is_free = std::isnan(map.coordinates[static_cast<std::size_t>(Offset{i} * map.dim)]);
        (is_free ? parts.free : parts.fixed).push_back(i);
    }
    return parts;
}

/// Free points begin beside the nearest of some fixed ones: at its very place it would not pull them.
void place_at_fixed(device::Cpu& cpu, const Source& source, Map& map, const Split& parts, std::uint64_t seed) {
    cpu.each(
        std::ssize(parts.free),
        [&](Offset k) {
            const Index i = parts.free[static_cast<std::size_t>(k)];
            Index nearest = parts.fixed[0];
            float least = std::numeric_limits<float>::infinity();
            for (std::uint64_t look = 0; look < looks; ++look) {
                const Index other =
                    parts.fixed[math::random_below(parts.fixed.size(), seed, static_cast<std::uint64_t>(i), look)];
                const float delta = source.between(i, other);
                if (!(delta < least)) continue;
                least = delta;
                nearest = other;
            }
            const double beside = std::isfinite(least) ? 1e-3 * static_cast<double>(least) : 0.0;
            for (Offset c = 0; c < map.dim; ++c) {
                const double shift =
                    beside * math::random_normal(seed, static_cast<std::uint64_t>(Offset{i} * map.dim + c));
                map.coordinates[static_cast<std::size_t>(Offset{i} * map.dim + c)] =
                    map.coordinates[static_cast<std::size_t>(Offset{nearest} * map.dim + c)] +
                    static_cast<float>(shift);
            }
        },
        64);
}

/// next[k] = where a free point goes that looks at some random others: mu of the way to the bottom of a parabola that
/// lies above its stress with them (Borg and Groenen 2005, ch. 8).
struct Nudge {
    const Source& source;
    const Split& parts;
    const Map& map;
    std::uint64_t seed, turn;
    float mu;
    float* next;

    void operator()(Offset k) const {
        const Index i = parts.free[static_cast<std::size_t>(k)];
        const float* y = map.coordinates.data();
        const float* here = y + Offset{i} * map.dim;
        float* to = next + k * map.dim;
        std::vector<double> move(static_cast<std::size_t>(map.dim), 0.0);
        double met = 0;
        for (std::uint64_t look = 0; look < looks; ++look) {
            const auto j = static_cast<Index>(math::random_below(static_cast<std::uint64_t>(map.size()), seed,
                                                                 static_cast<std::uint64_t>(i), turn * looks + look));
            const float delta = source.between(i, j);
            if (j == i || !(delta >= 0)) continue;
            const float* there = y + Offset{j} * map.dim;
            const float d = distance(here, there, map.dim);
            const float weight = source.weight(i, j);
            met += static_cast<double>(weight);
            if (!(d > 0)) continue;
            const float stretch = weight * (delta / d - 1);
            for (int c = 0; c < map.dim; ++c)
                move[static_cast<std::size_t>(c)] += static_cast<double>(stretch * (here[c] - there[c]));
        }
        for (int c = 0; c < map.dim; ++c)
            to[c] = here[c] + (met > 0 ? mu * static_cast<float>(move[static_cast<std::size_t>(c)] / met) : 0.0F);
    }
};

Ending nudge_free(device::Cpu& cpu, const Source& source, Map& map, const Split& parts, const Annealing& annealing,
                  const Run& run) {
    device::Ticker ticker(run, "optimise", annealing.steps);
    std::vector<float> next(parts.free.size() * static_cast<std::size_t>(map.dim));
    for (int t = 0; t < annealing.steps; ++t) {
        if (run.stop.stop_requested()) return {t, Stopped::cancelled};
        cpu.each(std::ssize(parts.free),
                 Nudge{source, parts, map, run.seed + 1, static_cast<std::uint64_t>(t), annealing.mu(t), next.data()},
                 16);
        for (std::size_t k = 0; k < parts.free.size(); ++k)
            std::copy_n(next.data() + static_cast<Offset>(k) * map.dim, map.dim,
                        map.coordinates.data() + Offset{parts.free[k]} * map.dim);
        ticker.tick(t + 1, [&] { return map.coordinates; });
    }
    return {annealing.steps, Stopped::budget};
}

/// What pulls where only some items move: all others, at these.
struct FreeItems {
    CpuItems items;
    const std::vector<Index>* free;
};

void pull_all(device::Cpu& cpu, const FreeItems& pulling, Shape<device::Cpu>& shape) {
    const std::vector<Index>& free = *pulling.free;
    const auto dim = static_cast<std::size_t>(shape.dim);
    std::vector<double> force(free.size() * dim, 0.0), error(free.size(), 0.0);
    meet_all(cpu, *pulling.items.source, shape.y.data(), shape.dim, pulling.items.weights, free,
             [&](std::size_t k, const Meeting& meeting) { error[k] += pull(meeting, force.data() + k * dim); });
    for (std::size_t k = 0; k < free.size(); ++k) {
        for (std::size_t c = 0; c < dim; ++c)
            shape.force[static_cast<std::size_t>(free[k]) * dim + c] = static_cast<float>(force[k * dim + c]);
    }
    cpu.sum(std::ssize(error), [&](Offset k) { return error[static_cast<std::size_t>(k)]; }, shape.stress);
}

/// Free items may not move farther than if all others moved too, with steps 1.8 times as long; fixed ones do not.
std::vector<float> steps_of_free(device::Cpu& cpu, const CpuItems& items, const Split& parts) {
    const bool even = items.weights == nullptr && items.source->complete();
    std::vector<float> step = steps(cpu, items, even ? 0.9 : 1.8);
    for (const Index i : parts.fixed) step[static_cast<std::size_t>(i)] = 0;
    return step;
}

Ending majorise_free(device::Cpu& cpu, const CpuItems& items, Map& map, const Split& parts, const Options& o,
                     const Run& run) {
    const FreeItems pulling{items, &parts.free};
    auto nowhere = shape_at(cpu, Map{map.dim, std::vector<float>(map.coordinates.size(), 0.0F)});
    pull_all(cpu, pulling, nowhere);
    auto shape = shape_at(cpu, map);
    const Patience patience{*o.iterations, *o.tolerance, nowhere.stress.value};
    const Ending ending = smacof(cpu, pulling, shape, steps_of_free(cpu, items, parts), patience, run);
    map.coordinates.assign(shape.y.begin(), shape.y.end());
    return ending;
}

}  // namespace

Ending run_fixed(device::Cpu& cpu, const Source& source, Map& map, const Options& o, const Run& run,
                 const Given& given) {
    map = *given.fixed;
    const Split parts = split(map);
    if (parts.free.empty()) return {0, Stopped::converged};
    place_at_fixed(cpu, source, map, parts, run.seed);
    if (o.method == Method::dunlin) {
        return nudge_free(cpu, source, map, parts, Annealing{*o.iterations, 1, 1e-3}, run);
    }
    constexpr int first_steps = 60;
    const Ending first = nudge_free(cpu, source, map, parts, Annealing{first_steps, 1, 0.1}, run);
    if (first.stopped == Stopped::cancelled) return first;
    const float* weights = given.weights == nullptr ? nullptr : given.weights->view().data;
    return majorise_free(cpu, CpuItems{&source, weights}, map, parts, o, run);
}

}  // namespace dunlin::mds
