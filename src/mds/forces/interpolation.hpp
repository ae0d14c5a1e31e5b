// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/mds.hpp>

#include "math/hd.hpp"
#include "math/rng.hpp"
#include "mds/input/distance.hpp"
#include "stress/terms.hpp"

/// Method hybrid: interpolation of items in a placed sample (Morrison, Ross and Chalmers 2003; Jourdan and Melancon
/// 2004). Items are numbered in the random order in which they were drawn; the first ones are the sample.
namespace dunlin::mds {

/// A member of the sample and its dissimilarity to some item.
struct RankedMember {
    float delta;
    Index member;
    DUNLIN_HD constexpr bool operator<(const RankedMember& other) const {
        return delta < other.delta || (delta == other.delta && member < other.member);
    }
};

/// Part of the list of a pivot.
struct CandidateRange {
    const RankedMember *begin, *end;
};

/// The first of a sorted list with delta >= d. (std::lower_bound on a GPU gives wrong results: nvcc 13, libstdc++ 12.)
DUNLIN_HD inline const RankedMember* first_from(const RankedMember* begin, const RankedMember* end, float d) {
    while (begin < end) {
        const RankedMember* middle = begin + (end - begin) / 2;
        if (middle->delta < d) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/// Input of the interpolation. The first members of the sample are pivots: each has the list of the members whose
/// dissimilarity to it is known, sorted.
template <class Between>
struct Interpolation {
    Between between;  ///< dissimilarity of two items
    const Index* item;
    float *y, *scratch;  ///< n x dim
    int dim;
    Index sample, pivots;
    Index references;  ///< number of references of an item
    Parents parents;
    std::uint64_t seed;
    const RankedMember* lists = nullptr;  ///< pivots x sample
    const Index* known = nullptr;         ///< pivots: lengths of the lists

    [[nodiscard]] DUNLIN_HD float delta(Offset i, Offset j) const { return between(item[i], item[j]); }
    [[nodiscard]] DUNLIN_HD const float* place(Index member) const { return y + Offset{member} * dim; }

    /// The part of the list of a pivot in which an item at this dissimilarity from it searches for its parent. sorted:
    /// two members on either side; buckets: those in the same of n^(1/4) intervals of equal width.
    [[nodiscard]] DUNLIN_HD CandidateRange around(Index pivot, float far) const {
        const RankedMember *begin = lists + Offset{pivot} * sample, *end = begin + known[pivot];
        if (begin == end) return {begin, end};
        const auto place_of = [&](float d) { return first_from(begin, end, d); };
        if (parents == Parents::sorted) {
            const Offset side = 2, at = place_of(far) - begin, left = at < side ? at : side;
            const Offset right = end - begin - at < side ? end - begin - at : side;
            return {begin + at - left, begin + at + right};
        }
        const auto buckets = static_cast<float>(pivots);
        const float width = (end - 1)->delta / buckets;
        if (!(width > 0)) return {begin, end};
        const float last = buckets - 1, mine = std::floor(far / width), bucket = mine < last ? mine : last;
        return {place_of(bucket * width), bucket < last ? place_of((bucket + 1) * width) : end};
    }

    /// The parent of an item: a near item of the sample, not always the nearest; -1: all dissimilarities looked up are
    /// missing.
    [[nodiscard]] DUNLIN_HD RankedMember parent_of(Offset i) const {
        RankedMember best{INFINITY, -1};
        const auto look = [&](Index member, float d) {
            if (d >= 0 && RankedMember{d, member} < best) best = {d, member};
        };
        for (Index pivot = 0; pivot < pivots; ++pivot) {
            const float far = delta(i, pivot);
            if (!(far >= 0)) continue;
            look(pivot, far);
            const CandidateRange near = around(pivot, far);
            for (const RankedMember* other = near.begin; other < near.end; ++other)
                look(other->member, delta(i, other->member));
        }
        return best;
    }

    /// Draws random references of an item with their dissimilarities; returns how many are known.
    DUNLIN_HD Index find_references(Offset i, RankedMember* found) const {
        Index count = 0;
        for (Index k = 0; k < references; ++k) {
            const auto member =
                static_cast<Index>(math::random_below(static_cast<std::uint64_t>(sample), seed,
                                                      static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)));
            const float d = delta(i, member);
            if (d >= 0) found[count++] = {d, member};
        }
        return count;
    }

    [[nodiscard]] DUNLIN_HD float error_at(const float* here, const RankedMember* found, Index count) const {
        float error = 0;
        for (Index r = 0; r < count; ++r) {
            const float e = distance(here, place(found[r].member), dim) - found[r].delta;
            error += e * e;
        }
        return error;
    }

    /// to = (towards + way e_axis), normalized; false if it is 0.
    DUNLIN_HD bool turn(const float* towards, int axis, float way, float* to) const {
        float square = 0;
        for (int c = 0; c < dim; ++c) {
            to[c] = towards[c] + (c == axis ? way : 0.0F);
            square += to[c] * to[c];
        }
        const float length = std::sqrt(square);
        for (int c = 0; c < dim && length > 0; ++c) to[c] /= length;
        return length > 0;
    }

    /// Searches the circle (sphere) around the parent for the least stress with the references: the best quadrant, then
    /// by bisection of the angle.
    DUNLIN_HD void place_on_circle(Offset i, const RankedMember& parent, const RankedMember* found, Index count) const {
        constexpr int halvings = 6;
        const float* center = place(parent.member);
        float *here = y + i * dim, *towards = scratch + i * dim;
        for (int c = 0; c < dim; ++c) towards[c] = 0;
        float least = INFINITY, way = 2;  // tangent of the angle
        for (int halving = 0; halving <= halvings; ++halving, way /= 2) {
            int best = -1;
            float best_way = 0;
            for (int look = 0; look < 2 * dim; ++look) {
                const float this_way = look % 2 == 0 ? way : -way;
                if (!turn(towards, look / 2, this_way, here)) continue;
                for (int c = 0; c < dim; ++c) here[c] = center[c] + parent.delta * here[c];
                const float error = error_at(here, found, count);
                if (!(error < least)) continue;
                least = error;
                best = look / 2;
                best_way = this_way;
            }
            if (best >= 0) turn(towards, best, best_way, towards);
        }
        for (int c = 0; c < dim; ++c) here[c] = center[c] + parent.delta * towards[c];
    }

    /// 16 steps of majorization over the references (Borg and Groenen 2005, ch. 8).
    DUNLIN_HD void refine(Offset i, const RankedMember* found, Index count) const {
        constexpr int steps = 16;
        float *here = y + i * dim, *move = scratch + i * dim;
        for (int step = 0; step < steps; ++step) {
            for (int c = 0; c < dim; ++c) move[c] = 0;
            for (Index r = 0; r < count; ++r) {
                const float* there = place(found[r].member);
                const float strength =
                    stress::strength(stress::inverse_distance(squared_distance(here, there, dim)), found[r].delta, 1);
                for (int c = 0; c < dim; ++c) move[c] += strength * (here[c] - there[c]);
            }
            for (int c = 0; c < dim; ++c) here[c] += move[c] / static_cast<float>(count);
        }
    }
};

/// Places items from `first` on; an item stays at its start if all dissimilarities looked up are missing.
template <class Between>
struct PlaceByParent {
    Interpolation<Between> interpolation;
    RankedMember* found;  ///< scratch: references and parent of each item
    Offset first;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k;
        const RankedMember parent = interpolation.parent_of(i);
        if (parent.member < 0) return;
        RankedMember* references = found + k * (interpolation.references + 1);
        Index count = interpolation.find_references(i, references);
        interpolation.place_on_circle(i, parent, references, count);
        references[count++] = parent;
        interpolation.refine(i, references, count);
    }
};

/// delta[p * sample + m]: of pivot p and member m.
template <class Between>
struct PivotDelta {
    Interpolation<Between> interpolation;
    float* delta;
    DUNLIN_HD void operator()(Offset k) const {
        delta[k] = interpolation.delta(k / interpolation.sample, k % interpolation.sample);
    }
};

}  // namespace dunlin::mds
