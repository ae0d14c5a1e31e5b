// SPDX-License-Identifier: Apache-2.0
#include "waves/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "waves/chebyshev.hpp"
#include "waves/drive.hpp"
#include "waves/rows.hpp"

namespace dunlin::waves {

namespace {

/// Evaluations of the right-hand side in a step.
Offset evaluations_of(const Problem& problem) {
    if (problem.options.scheme == Scheme::euler) return 1;
    if (problem.options.scheme == Scheme::heun) return 2;
    return chebyshev_count(*problem.options.step * problem.stiffness);
}

/// Powers of two, up to as many steps as are done between two checks.
Offset depth_of(Offset layers_of_rank, Offset evaluations) {
    constexpr Offset least_share = 64;  // layers of a rank beside each of the two halos
    Offset depth = 1;
    while (2 * depth <= steps_between_checks && 2 * depth * evaluations * least_share <= layers_of_rank) depth *= 2;
    return depth;
}

}  // namespace

Shares::Shares(const Problem& whole, int ranks)
    : whole_(whole), ranks_(ranks), is_graph_(whole.domain.graph != nullptr) {
    if (is_graph_) {
        layers_ = whole.size();
        return;
    }
    axis_ = at(axes_of(whole.domain) - 1);
    layers_ = whole.domain.nodes[axis_];
    for (std::size_t a = 0; a < axis_; ++a) nodes_ *= whole.domain.nodes[a];
    is_periodic_ = whole.domain.periodic[axis_];
    depth_ = depth_of(layers_ / ranks, evaluations_of(whole));
    halo_ = depth_ * evaluations_of(whole);
}

Share Shares::of(int rank) const {
    Share share;
    share.own = device::slice_of(rank, ranks_, layers_);
    if (is_graph_) {
        share.held = {0, layers_};
    } else if (share.own.size() == 0) {
        share.held = share.own;
    } else {
        share.held = {share.own.begin - halo_, share.own.end + halo_};
        if (!is_periodic_) share.held = {std::max<Offset>(share.held.begin, 0), std::min(share.held.end, layers_)};
    }
    return share;
}

std::vector<HaloPiece> Shares::halo_of(int rank) const {
    std::vector<HaloPiece> pieces;
    if (is_graph_) return pieces;
    const Share share = of(rank);
    const auto add = [&](Offset begin, Offset end) {
        for (Offset position = begin; position < end;) {
            const Offset layer = node_of(position);
            int owner = 0;
            while (of(owner).own.end <= layer) ++owner;
            const Share source = of(owner);
            const Offset count = std::min(end - position, source.own.end - layer);
            pieces.push_back(
                {owner, (layer - source.held.begin) * nodes_, (position - share.held.begin) * nodes_, count * nodes_});
            position += count;
        }
    };
    add(share.held.begin, share.own.begin);
    add(share.own.end, share.held.end);
    return pieces;
}

device::Slice Shares::own_nodes(int rank) const {
    const Share share = of(rank);
    return {share.own.begin * nodes_, share.own.end * nodes_};
}

device::Slice Shares::own_places(int rank) const {
    const Share share = of(rank);
    return {(share.own.begin - share.held.begin) * nodes_, (share.own.end - share.held.begin) * nodes_};
}

std::vector<double> Shares::held_of(int rank, const std::vector<double>& values) const {
    std::vector<double> held;
    if (values.empty()) return held;
    const Share share = of(rank);
    held.reserve(at(share.held.size() * nodes_));
    for (Offset position = share.held.begin; position < share.held.end;) {
        const Offset layer = node_of(position), count = std::min(share.held.end - position, layers_ - layer);
        const auto from = values.begin() + layer * nodes_;
        held.insert(held.end(), from, from + count * nodes_);
        position += count;
    }
    return held;
}

/// A node that a rank holds at several positions has its stimuli at each.
std::vector<Stimulus> Shares::stimuli_of(const Share& share) const {
    std::vector<Stimulus> stimuli;
    for (const Stimulus& s : whole_.stimuli) {
        const Offset layer = s.vertex / nodes_, first = share.held.begin + node_of(layer - share.held.begin);
        for (Offset position = first; position < share.held.end; position += layers_) {
            Stimulus& held = stimuli.emplace_back(s);
            held.vertex = static_cast<Index>((position - share.held.begin) * nodes_ + s.vertex % nodes_);
        }
    }
    std::stable_sort(stimuli.begin(), stimuli.end(),
                     [](const Stimulus& a, const Stimulus& b) { return a.vertex < b.vertex; });
    return stimuli;
}

Problem Shares::problem_of(int rank) const {
    const Share share = of(rank);
    Problem part{.options = whole_.options,
                 .domain = whole_.domain,
                 .coefficients = whole_.coefficients,
                 .current = held_of(rank, whole_.current),
                 .inverse_degree = whole_.inverse_degree,
                 .at_rest = whole_.at_rest,
                 .noise = whole_.noise,
                 .step_limit = whole_.step_limit,
                 .stiffness = whole_.stiffness,
                 .seed = whole_.seed,
                 .own_part = own_places(rank)};
    part.stimuli = stimuli_of(share);
    if (is_graph_) return part;
    if (share.held.size() * nodes_ > std::numeric_limits<Index>::max()) {
        throw Error(Fault::bad_input,
                    fmt::format("a GPU would hold {} layers of {} nodes with its halo, more than 2^31 nodes; name one "
                                "GPU, or use fewer nodes",
                                share.held.size(), nodes_),
                    {.option = "gpus"});
    }
    part.domain.nodes[axis_] = static_cast<Index>(share.held.size());
    part.domain.periodic[axis_] = false;
    if (share.held.size() > 0) part.numbers = {node_of(share.held.begin) * nodes_, layers_ * nodes_};
    return part;
}

}  // namespace dunlin::waves
