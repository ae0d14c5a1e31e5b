// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/forces/interpolation.hpp"
#include "mds/forces/spring_stages.hpp"

/// Method hybrid: springs move a random sample of sqrt(n) items, the other items are placed near a parent (a near item
/// of the sample), then a few iterations move all items. A template over the executor, which provides the functions of
/// partners.hpp.
namespace dunlin::mds {

/// For each pivot, the sample sorted by dissimilarity to it.
template <class Exec>
struct SortedLists {
    typename Exec::template Buffer<RankedMember> members;
    typename Exec::template Buffer<Index> known;
};

template <class Exec, class Between>
SortedLists<Exec> sorted_lists(Exec& exec, const Interpolation<Between>& interpolation) {
    typename Exec::template Buffer<float> delta;
    const Offset sample = interpolation.sample, pairs = sample * interpolation.pivots;
    exec.resize(delta, static_cast<std::size_t>(pairs));
    exec.each(pairs, PivotDelta<Between>{interpolation, delta.data()});
    const auto& found = exec.host(delta);
    std::vector<RankedMember> members(found.size(), RankedMember{0, 0});
    std::vector<Index> known;
    for (Offset p = 0; p < interpolation.pivots; ++p) {
        const auto begin = members.begin() + p * sample;
        auto end = begin;
        for (Offset m = 0; m < sample; ++m) {
            const float d = found[static_cast<std::size_t>(p * sample + m)];
            if (d >= 0) *end++ = {d, static_cast<Index>(m)};
        }
        std::sort(begin, end);
        known.push_back(static_cast<Index>(end - begin));
    }
    SortedLists<Exec> lists;
    exec.upload(lists.members, std::span<const RankedMember>(members));
    exec.upload(lists.known, std::span<const Index>(known));
    return lists;
}

/// buckets: n^(1/4) pivots and as many references. sorted: 8 pivots for any n, since the windows in sorted lists do not
/// grow, and log2(n) references.
template <class Between, class Exec>
Interpolation<Between> interpolation_of(const Between& between, SpringState<Exec>& springs, Index sample,
                                        Parents parents, std::uint64_t seed) {
    constexpr Index few = 8;
    const auto n = static_cast<double>(springs.n);
    const bool sorted = parents == Parents::sorted;
    const auto fourth_root = static_cast<Index>(std::ceil(std::pow(n, 0.25)));
    const Index references = sorted ? static_cast<Index>(std::ceil(std::log2(n))) : fourth_root;
    const SpringView view = springs.view();
    return {
        between,    view.item, view.y, view.force, springs.dim, sample, std::min(sample, sorted ? few : fourth_root),
        references, parents,   seed};
}

template <class Exec, class Between>
void place_others(Exec& exec, Interpolation<Between> interpolation, Index n) {
    constexpr Offset at_once = Offset{1} << 18;
    const SortedLists<Exec> lists = sorted_lists(exec, interpolation);
    interpolation.lists = lists.members.data();
    interpolation.known = lists.known.data();
    typename Exec::template Buffer<RankedMember> found;
    const Offset others = n - interpolation.sample;
    exec.resize(found, static_cast<std::size_t>(std::min(at_once, others) * (interpolation.references + 1)));
    for (Offset first = interpolation.sample; first < n; first += at_once)
        each_slow(exec, std::min(at_once, n - first), PlaceByParent<Between>{interpolation, found.data(), first});
}

/// `o`: resolved options of method hybrid.
template <class Exec, class Items>
run::Ending hybrid(Exec& exec, const Items& items, SpringState<Exec>& springs, const Options& o, const Run& run) {
    constexpr int most = 20000;
    const auto root = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(springs.n))));
    const Index sample = std::min(springs.n, root);
    const StageOptions sample_options{*o.until, *o.until == Until::count ? sample : most, true};
    const run::Ending first = run_stage(exec, items, springs, {0, sample, sample, 1e-3}, sample_options, o, run);
    if (first.stopped == Stopped::cancelled) return first;
    if (sample > 0)
        place_others(exec, interpolation_of(items.between(), springs, sample, *o.parents, run.seed), springs.n);
    const run::Ending last =
        run_stage(exec, items, springs, {0, springs.n, springs.n, 0}, {Until::count, *o.iterations, true}, o, run);
    return {first.iterations + last.iterations, last.stopped};
}

}  // namespace dunlin::mds
