// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <dunlin/live.hpp>
#include <dunlin/steering.hpp>

namespace dunlin::run {

/// A map that a loop moves, as those see it who watch and steer the loop. Coordinates are those of the result: in the
/// order of the input and in its units.
class MovingMap {
public:
    MovingMap() = default;
    virtual ~MovingMap() = default;
    MovingMap(const MovingMap&) = delete;
    MovingMap& operator=(const MovingMap&) = delete;
    MovingMap(MovingMap&&) = delete;
    MovingMap& operator=(MovingMap&&) = delete;

    [[nodiscard]] virtual Index points() const = 0;
    [[nodiscard]] virtual int dim() const = 0;
    /// points x dim, on the host.
    [[nodiscard]] virtual std::vector<float> positions() = 0;
    /// Shows the map to a watcher after an iteration, if it is wanted: now, or beside later iterations if `now` is
    /// false. Returns false if it is to be shown now and is not wanted.
    virtual bool show(live::Watcher& watcher, Offset iteration, bool now) {
        static_cast<void>(now);
        if (!watcher.wants()) return false;
        const std::vector<float> coordinates = positions();
        watcher.show({iteration, dim(), coordinates});
        return true;
    }

    /// The options that acts may change, with their present values. No value: the loop is watched and not steered.
    [[nodiscard]] virtual std::optional<std::vector<live::SteerableField>> fields() { return {}; }
    /// The largest coordinate to which acts may move a point, in size.
    [[nodiscard]] virtual float farthest() const { return std::numeric_limits<float>::max(); }
    /// Does set, pin, free and nudge, before iteration t.
    virtual void apply(const live::Act& act, Offset t) { static_cast<void>(act), static_cast<void>(t); }
    /// The loop begins again from the present map. Returns the iteration with which it goes on, instead of t.
    virtual Offset begin_again(Offset t) {
        static_cast<void>(t);
        return 0;
    }
    /// Moves pinned points back to their places, after each iteration.
    virtual void put_back() {}

    /// Whether a loop that has ended waits for acts, if it is steered (docs/viewer.md).
    [[nodiscard]] virtual bool can_rest() const { return false; }
    /// The loop has rested after t iterations; goes_on: by an act.
    virtual void rested(Offset t, bool goes_on) { static_cast<void>(t), static_cast<void>(goes_on); }
    /// The limit of iterations, which is `named` until a loop that rested goes on.
    [[nodiscard]] virtual Offset limit(Offset named) const { return named; }
};

}  // namespace dunlin::run
