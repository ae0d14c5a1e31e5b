// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "device/agreed_stop.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "waves/drive.hpp"
#include "waves/shares.hpp"

namespace dunlin::device {

/// Copies values of an executor's memory to the host.
inline void copy_values(Cpu&, double* to, const double* from, Offset count) { std::copy_n(from, count, to); }

}  // namespace dunlin::device

namespace dunlin::waves {

/// An engine (drive.hpp) of one rank of several: an engine of one device on what the rank holds (Shares). It has
/// besides
///     values()              where the values of both species are
///     times()               where the activation times are
///     changed(begin, end)   of tiles: these layers were changed from outside
/// All members must be called by all ranks. `values` is shared by all and outlives them: it has the start, and later
/// what state() collects.
template <class Exec, class Engine>
class RankEngine {
public:
    static constexpr bool is_part = true;

    RankEngine(Exec& exec, const Problem& whole, device::AgreedStop& stop, State& values)
        : exec_(exec),
          stop_(stop),
          rank_(stop.rank()),
          shares_(whole, rank_.count()),
          share_(shares_.of(rank_.index())),
          halo_(shares_.halo_of(rank_.index())),
          problem_(shares_.problem_of(rank_.index())),
          engine_(exec, problem_, held_of(values)),
          values_(values) {
        rank_.wait_for_all();  // others may still read the start
    }

    /// All ranks are cancelled before the same step.
    void advance(Offset first, Offset steps, double dt) {
        for (Offset step = first; step < first + steps;) {
            stop_.check();
            progress::cancellation_point();
            const Offset count = std::min(shares_.depth(), first + steps - step);
            if (is_used()) engine_.advance(step, count, dt);
            exchange_halos();
            completed_ = step += count;
        }
    }
    double fastest(double t) {
        double largest = 0;
        for (const double rate : rank_.from_all(has_own() ? engine_.fastest(t) : 0.0)) {
            if (!(rate <= largest)) largest = rate;
            if (std::isnan(largest)) break;
        }
        return largest;
    }
    /// The values of all ranks, for the first one; empty for others.
    State state() {
        const bool is_first = rank_.index() == 0;
        const auto each = [](const auto& visit) { visit(&State::v), visit(&State::w), visit(&State::activation); };
        const auto is_kept = [&](auto of) { return of != &State::w || problem_.recovers(); };
        if (is_first) {
            each(
                [&](auto of) { (values_.*of).resize(is_kept(of) ? at(shares_.own_nodes(rank_.count() - 1).end) : 0); });
        }
        rank_.wait_for_all();
        const device::Slice nodes = shares_.own_nodes(rank_.index());
        const Offset place = shares_.own_places(rank_.index()).begin;
        const auto now = engine_.values();
        each([&](auto of) {
            if (!is_kept(of) || nodes.size() == 0) return;
            const double* from = of == &State::v ? now.v : of == &State::w ? now.w : engine_.times();
            copy_values(exec_, (values_.*of).data() + nodes.begin, from + place, nodes.size());
        });
        rank_.wait_for_all();
        return is_first ? std::move(values_) : State{};
    }
    [[nodiscard]] Offset completed() const { return completed_; }
    [[nodiscard]] Offset skipped() { return total(engine_.skipped()); }
    [[nodiscard]] Offset evaluations() {
        const std::vector<Offset> all = rank_.from_all(engine_.evaluations());
        return *std::max_element(all.begin(), all.end());
    }

private:
    [[nodiscard]] bool has_own() const { return share_.own.size() > 0; }
    /// A graph's engine takes part in exchanges even if it has no vertices.
    [[nodiscard]] bool is_used() const { return share_.held.size() > 0; }
    [[nodiscard]] State held_of(const State& whole) const {
        const int rank = rank_.index();
        return {shares_.held_of(rank, whole.v), shares_.held_of(rank, whole.w),
                shares_.held_of(rank, whole.activation)};
    }
    [[nodiscard]] Offset total(Offset own) {
        Offset sum = 0;
        for (const Offset of_rank : rank_.from_all(own)) sum += of_rank;
        return sum;
    }

    void exchange_halos() {
        if (problem_.domain.graph != nullptr) return;
        const auto now = engine_.values();
        const auto exchange = [&](double* values) {
            std::vector<device::RemotePiece> pieces;
            pieces.reserve(halo_.size());
            for (const HaloPiece& piece : halo_) {
                pieces.push_back(
                    {piece.from, at(piece.at) * sizeof(double), at(piece.count) * sizeof(double), values + piece.to});
            }
            device::exchange(exec_, rank_, values, pieces);
        };
        exchange(now.v);
        if (problem_.recovers()) exchange(now.w);
        if constexpr (requires { engine_.changed(Offset{}, Offset{}); }) {
            const Offset first = share_.held.begin;
            engine_.changed(0, share_.own.begin - first);
            engine_.changed(share_.own.end - first, share_.held.end - first);
        }
    }

    Exec& exec_;
    device::AgreedStop& stop_;
    device::Rank& rank_;
    Shares shares_;
    Share share_;
    std::vector<HaloPiece> halo_;
    Problem problem_;
    Engine engine_;
    State& values_;
    Offset completed_ = 0;
};

/// A simulation by one rank.
template <class Engine, class Exec>
void run_rank(Exec& exec, const Problem& whole, State& values, const Given& given, const Run& run, Result& result) {
    device::AgreedStop stop(*device::Rank::current(), run.stop);
    RankEngine<Exec, Engine> engine(exec, whole, stop, values);
    drive(engine, whole, given, stop.in(run), result);
    collect(engine, result);
}

}  // namespace dunlin::waves
