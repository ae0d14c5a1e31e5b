// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <dunlin/layout.hpp>

#include "forces/places.hpp"
#include "layout/drawing.hpp"
#include "live/steered_loop.hpp"
#include "progress/cancel.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

namespace dunlin::layout {

/// Convergence is checked at multiples of this iteration, never by time.
constexpr int check_every = 10;

/// What acts may change in a method's loop: reset() follows each of them, and reheat(share) is called where a loop that
/// had ended goes on (0.3) or begins again (1).
template <class Reset, class Reheat>
struct Steerable {
    Options& now;  ///< of which iterate() takes those that may change
    Reset reset;
    Reheat reheat;
};

/// A drawing as its loop sees it. A loop that has ended rests, and goes on for as many iterations after an act.
template <class Exec, class Reset, class Reheat>
class MovingDrawing : public run::MovingMap {
public:
    /// Refers to all of these.
    MovingDrawing(Exec& exec, Drawing<Exec>& drawing, const Steerable<Reset, Reheat>& method)
        : exec_(exec), drawing_(drawing), method_(method), limit_(*method.now.iterations) {}

    [[nodiscard]] Index points() const override { return drawing_.n; }
    [[nodiscard]] int dim() const override { return drawing_.on_line ? 1 : drawing_.dim; }
    [[nodiscard]] std::vector<float> positions() override { return map_coordinates(exec_, drawing_); }
    [[nodiscard]] std::optional<std::vector<live::SteerableField>> fields() override {
        return live::steerable_fields(method_.now);
    }
    [[nodiscard]] float farthest() const override { return forces::farthest_place; }
    void apply(const live::Act& act, Offset t) override {
        const progress::Uncancellable whole;
        act.verb == live::Verb::set ? live::set_option(method_.now, act) : move_vertices(exec_, drawing_, act);
        method_.reset();
        if (has_rested_) heat(0.3F, t);
        exec_.forget();
    }
    Offset begin_again(Offset) override {
        const progress::Uncancellable whole;
        exec_.fill(drawing_.velocity, drawing_.y.size(), 0.0F);
        heat(1, 0);
        exec_.forget();
        return 0;
    }

    [[nodiscard]] bool can_rest() const override { return true; }
    void rested(Offset t, bool goes_on) override {
        if (goes_on && !has_rested_) heat(0.3F, t);
        has_rested_ = true;
    }
    [[nodiscard]] Offset limit(Offset) const override { return limit_; }

private:
    void heat(float share, Offset t) {
        method_.reheat(share);
        limit_ = t + *method_.now.iterations;
    }

    Exec& exec_;
    Drawing<Exec>& drawing_;
    const Steerable<Reset, Reheat>& method_;
    Offset limit_;
    bool has_rested_ = false;
};

/// Runs up to now.iterations iterations. iterate(t) only enqueues; settled() is called at the checks and may wait. On a
/// CPU the computation of forces can be cancelled; the step after it is Uncancellable. more: what iterations depend on
/// beside positions and velocities: buffers and cells, for a checkpoint.
template <class Exec, class Iterate, class Settled, class Reset, class Reheat, class... More>
run::Ending run_iterations(Exec& exec, Drawing<Exec>& drawing, const Steerable<Reset, Reheat>& method, const Run& run,
                           const Iterate& iterate, const Settled& settled, More&... more) {
    MovingDrawing map(exec, drawing, method);
    const auto is_place = [](float y) { return std::abs(y) <= forces::farthest_point; };
    run::Kept state(checkpoint::Remembered(exec, checkpoint::Checked{drawing.y, is_place}, drawing.velocity,
                                           drawing.kinetic, more...));
    run::Loop loop(run, {"optimize", "layout", *method.now.iterations}, state, &map);
    while (loop.next()) {
        loop.step([&](Offset t) {
            iterate(static_cast<int>(t));
            const progress::Uncancellable whole;
            if ((t + 1) % check_every == 0 && settled()) loop.settled_after();
        });
    }
    return loop.ending();
}

}  // namespace dunlin::layout
