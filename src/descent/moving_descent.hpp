// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "descent/move_points.hpp"
#include "descent/saved_state.hpp"
#include "descent/watched_map.hpp"
#include "progress/cancel.hpp"
#include "run/loop.hpp"

namespace dunlin::descent {

/// A descent as its loop sees it: its state in a checkpoint; its map, watched and steered.
template <class Exec, class Edges, class Repeller, class Objective>
class MovingDescent : public run::LoopState, public run::MovingMap {
public:
    /// Refers to all of these.
    MovingDescent(Exec& exec, DescentState<Exec>& state, Edges& edges, Repeller& repeller, Objective& objective)
        : exec_(exec), state_(state), edges_(edges), repeller_(repeller), objective_(objective), map_(exec, state) {}

    std::vector<Engine> engines;  ///< repulsion engines used

    void keep() override { before_ = objective_.memory(); }
    void write(checkpoint::ArchiveWriter& archive, const run::Position& at) override {
        write(archive, at, objective_.memory());
    }
    void write_kept(checkpoint::ArchiveWriter& archive, const run::Position& at) override {
        write(archive, at, before_);
    }
    /// Edges and step parameters follow from the state.
    run::Position read(checkpoint::ArchiveReader& archive) override {
        DescentPosition position = read_descent(archive, exec_, state_, repeller_, objective_);
        if (state_.n > 0) renumber(exec_, state_, edges_);
        objective_.follow(exec_, edges_);
        exec_.set(state_.parameters, objective_.parameters_at(position.iteration));
        engines = std::move(position.engines);
        return {position.iteration, position.has_ended != 0 ? std::optional(position.stopped) : std::nullopt};
    }

    [[nodiscard]] Index points() const override { return state_.n; }
    [[nodiscard]] int dim() const override { return state_.map_dim; }
    [[nodiscard]] std::vector<float> positions() override { return map_coordinates(exec_, state_); }
    bool show(live::Watcher&, Offset iteration, bool now) override {
        if (now) return map_.show_now(iteration);
        map_.show(iteration);
        return true;
    }
    [[nodiscard]] std::optional<std::vector<live::SteerableField>> fields() override {
        return live::steerable_fields(objective_.options());
    }
    [[nodiscard]] float farthest() const override { return forces::farthest_place; }
    void apply(const live::Act& act, Offset t) override {
        const progress::Uncancellable whole;
        if (act.verb == live::Verb::set) {
            objective_.set(exec_, edges_, act);
            repeller_.set_theta(objective_.options().theta.value_or(0));
            exec_.set(state_.parameters, objective_.parameters_at(static_cast<int>(t)));
        } else {
            move_points(exec_, state_, act);
        }
        exec_.forget();
    }
    Offset begin_again(Offset) override {
        const progress::Uncancellable whole;
        exec_.fill(state_.velocity, state_.y.size(), 0.0F);
        exec_.fill(state_.gain, state_.y.size(), Objective::initial_gain);
        objective_.recall({});
        exec_.forget();
        return 0;
    }

private:
    using Memory = typename Objective::Memory;

    void write(checkpoint::ArchiveWriter& archive, const run::Position& at, const Memory& memory) {
        const DescentPosition position{static_cast<int>(at.iteration), static_cast<std::uint8_t>(at.ended ? 1 : 0),
                                       at.ended.value_or(Stopped::budget), engines};
        write_descent(archive, exec_, state_, repeller_, position, memory);
    }

    Exec& exec_;
    DescentState<Exec>& state_;
    Edges& edges_;
    Repeller& repeller_;
    Objective& objective_;
    WatchedMap<Exec> map_;
    Memory before_ = {};
};

}  // namespace dunlin::descent
