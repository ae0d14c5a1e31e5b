#include "mds/hybrid.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "math/rng.hpp"

namespace dunlin::mds {

namespace {

/// A member of the sample, by how far it is from a pivot.
struct Ranked {
    float delta;
    Index member;
    bool operator<(const Ranked& other) const {
        return delta < other.delta || (delta == other.delta && member < other.member);
    }
};

/// The sample seen from one of its members, the nearest first.
struct Pivot {
    Index member;
    std::vector<Ranked> others;
};

/// What placing an item needs; items are given by their place in springs.order.
struct Nursery {
    const Source& source;
    Springs<device::Cpu>& springs;
    std::vector<Pivot> pivots;
    Index sample;
    Index references;  ///< of the sample, with which an item is placed
    Parents parents;
    std::uint64_t seed;

    [[nodiscard]] float between(Offset i, Offset j) const {
        return source.between(springs.item[static_cast<std::size_t>(i)], springs.item[static_cast<std::size_t>(j)]);
    }
};

/// n^(1/4) pivots; with sorted lists, whose windows do not grow, as many for any n.
std::vector<Pivot> pivots_of(device::Cpu& cpu, const Nursery& nursery) {
    constexpr Index few = 8;
    const auto fourth_root = static_cast<Index>(std::ceil(std::pow(nursery.springs.n, 0.25)));
    const Index count = std::min(nursery.sample, nursery.parents == Parents::sorted ? few : fourth_root);
    std::vector<Pivot> pivots(static_cast<std::size_t>(count));
    cpu.each(
        count,
        [&](Offset p) {
            Pivot& pivot = pivots[static_cast<std::size_t>(p)];
            pivot.member = static_cast<Index>(p);
            for (Index m = 0; m < nursery.sample; ++m) {
                const float delta = nursery.between(p, m);
                if (delta >= 0) pivot.others.push_back({delta, m});
            }
            std::sort(pivot.others.begin(), pivot.others.end());
        },
        1);
    return pivots;
}

/// The part of a pivot's list in which an item this far from it looks for its parent. sorted: two on either side;
/// buckets: those in the same of n^(1/4) equal parts of the pivot's reach.
std::span<const Ranked> around(const Nursery& nursery, const Pivot& pivot, float delta) {
    const auto& others = pivot.others;
    const auto place_of = [&](float d) { return std::lower_bound(others.begin(), others.end(), Ranked{d, 0}); };
    if (nursery.parents == Parents::sorted) {
        const std::ptrdiff_t side = 2, place = place_of(delta) - others.begin();
        return {others.begin() + std::max<std::ptrdiff_t>(0, place - side),
                others.begin() + std::min(std::ssize(others), place + side)};
    }
    const float width = others.back().delta / static_cast<float>(nursery.pivots.size());
    if (!(width > 0)) return others;
    const auto buckets = static_cast<float>(nursery.pivots.size());
    const float bucket = std::min(std::floor(delta / width), buckets - 1);
    return {place_of(bucket * width), bucket + 1 < buckets ? place_of((bucket + 1) * width) : others.end()};
}

/// A near item of the sample, not always the nearest.
Ranked parent_of(const Nursery& nursery, Offset i) {
    Ranked best{INFINITY, -1};
    for (const Pivot& pivot : nursery.pivots) {
        const float delta = nursery.between(i, pivot.member);
        if (!(delta >= 0)) continue;
        best = std::min(best, {delta, pivot.member});
        for (const Ranked& other : around(nursery, pivot, delta)) {
            const float d = nursery.between(i, other.member);
            if (d >= 0) best = std::min(best, {d, other.member});
        }
    }
    return best;
}

/// An item's random references and how far it should be from them.
std::vector<Ranked> references_of(const Nursery& nursery, Offset i) {
    std::vector<Ranked> references;
    for (Index k = 0; k < nursery.references; ++k) {
        const auto member =
            static_cast<Index>(math::random_below(static_cast<std::uint64_t>(nursery.sample), nursery.seed,
                                                  static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)));
        const float delta = nursery.between(i, member);
        if (delta >= 0) references.push_back({delta, member});
    }
    return references;
}

using Place = std::vector<float>;

const float* place_of(const Nursery& nursery, Index member) {
    return nursery.springs.y.data() + Offset{member} * nursery.springs.dim;
}

float error_at(const Nursery& nursery, const Place& y, std::span<const Ranked> references) {
    float error = 0;
    for (const Ranked& r : references) {
        const float e = distance(y.data(), place_of(nursery, r.member), nursery.springs.dim) - r.delta;
        error += e * e;
    }
    return error;
}

/// On the circle (sphere) around the parent, where the references are best served: the best quadrant, then by halving.
Place on_the_circle(const Nursery& nursery, const Ranked& parent, std::span<const Ranked> references) {
    constexpr int halvings = 6;
    const int dim = nursery.springs.dim;
    const float* centre = place_of(nursery, parent.member);
    Place direction(static_cast<std::size_t>(dim), 0.0F), best = direction, y = direction;
    float least = INFINITY;
    const auto look = [&](Place towards) {
        const float length = distance(towards.data(), Place(towards.size(), 0.0F).data(), dim);
        if (!(length > 0)) return;
        for (std::size_t c = 0; c < y.size(); ++c) y[c] = centre[c] + parent.delta * (towards[c] /= length);
        const float error = error_at(nursery, y, references);
        if (!(error < least)) return;
        least = error;
        best = towards;
    };
    for (int halving = 0; halving <= halvings; ++halving) {
        direction = best;
        const float turn = std::ldexp(1.0F, 1 - halving);  // the tangent of the angle, at first without a direction
        for (std::size_t c = 0; c < direction.size(); ++c) {
            for (const float way : {turn, -turn}) {
                Place towards = direction;
                towards[c] += way;
                look(std::move(towards));
            }
        }
    }
    for (std::size_t c = 0; c < y.size(); ++c) y[c] = centre[c] + parent.delta * best[c];
    return y;
}

/// A few steps down the references' stress, each to the bottom of a parabola above it (Borg and Groenen 2005, ch. 8).
void settle(const Nursery& nursery, Place& y, std::span<const Ranked> references) {
    constexpr int steps = 16;
    for (int step = 0; step < steps; ++step) {
        Place move(y.size(), 0.0F);
        for (const Ranked& r : references) {
            const float* there = place_of(nursery, r.member);
            const float d = distance(y.data(), there, nursery.springs.dim);
            if (!(d > 0)) continue;
            for (std::size_t c = 0; c < y.size(); ++c) move[c] += (r.delta / d - 1) * (y[c] - there[c]);
        }
        for (std::size_t c = 0; c < y.size(); ++c) y[c] += move[c] / static_cast<float>(references.size());
    }
}

void place_others(device::Cpu& cpu, const Nursery& nursery) {
    Springs<device::Cpu>& springs = nursery.springs;
    cpu.each(
        springs.n - nursery.sample,
        [&](Offset k) {
            const Offset i = nursery.sample + k;
            const Ranked parent = parent_of(nursery, i);
            if (parent.member < 0) return;  // all that were looked at are missing: it stays where it began
            std::vector<Ranked> references = references_of(nursery, i);
            Place y = on_the_circle(nursery, parent, references);
            references.push_back(parent);
            settle(nursery, y, references);
            std::copy(y.begin(), y.end(), springs.y.begin() + i * springs.dim);
        },
        64);
}

}  // namespace

Ending hybrid(device::Cpu& cpu, const Source& source, Springs<device::Cpu>& springs, const Options& o, const Run& run) {
    const auto n = static_cast<double>(springs.n);
    const auto sample = std::min(springs.n, static_cast<Index>(std::ceil(std::sqrt(n))));
    constexpr int most = 2000;
    const Pace alone{*o.until, *o.until == Until::count ? sample : most, true};
    const Ending first = stir(cpu, source, springs, {0, sample, sample, 1e-3}, alone, run);
    if (first.stopped == Stopped::cancelled) return first;

    const double references = *o.parents == Parents::sorted ? std::log2(n) : std::pow(n, 0.25);
    Nursery nursery{source, springs, {}, sample, static_cast<Index>(std::ceil(references)), *o.parents, run.seed};
    nursery.pivots = pivots_of(cpu, nursery);
    place_others(cpu, nursery);
    const Ending last =
        stir(cpu, source, springs, {0, springs.n, springs.n, 0}, {Until::count, *o.iterations, true}, run);
    return {first.iterations + last.iterations, last.stopped};
}

}  // namespace dunlin::mds
