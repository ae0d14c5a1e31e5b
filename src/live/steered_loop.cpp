// SPDX-License-Identifier: Apache-2.0
#include "live/steered_loop.hpp"

#include <optional>
#include <utility>

namespace dunlin::live {

SteeredLoop::SteeredLoop(Index points, int dim, std::vector<SteerableField> fields, std::stop_token stop, Apply apply,
                         Show show, float farthest)
    : state_(steering_of(points)),
      points_(points),
      stop_(std::move(stop)),
      apply_(std::move(apply)),
      show_(std::move(show)) {
    if (state_ == nullptr) return;
    state_->begin_pass(points, dim, std::move(fields), farthest);
    apply_standing();  // what was set and pinned in earlier loops holds
}

SteeredLoop::~SteeredLoop() {
    if (state_ != nullptr) state_->end_pass();
}

Course SteeredLoop::attend(Offset t) {
    for (is_shown_ = false;;) {
        while (const std::optional<Act> act = state_->take(t)) {
            has_acted_ = true;
            if (act->verb == Verb::finish || act->verb == Verb::save) return Course::finish;
            if (act->verb == Verb::stop) return Course::stop;
            if (act->verb == Verb::restart) {
                state_->begin_again();
                return Course::restart;
            }
            apply_(*act);
            is_shown_ = false;
        }
        if (stop_.stop_requested() || !state_->waits(t)) return Course::go_on;
        wait();
    }
}

void SteeredLoop::wait() {
    if (!is_shown_) is_shown_ = show_();
    state_->wait(stop_);
}

Course SteeredLoop::rest(Offset t) {
    if (state_ == nullptr || !state_->stays(t)) return Course::finish;
    state_->rest(true);
    has_acted_ = false;
    Course course = attend(t);
    while (course == Course::go_on && !has_acted_) {
        if (stop_.stop_requested() || !state_->stays(t)) {
            course = Course::finish;
            break;
        }
        const bool was_shown = is_shown_;
        wait();
        const bool is_shown = is_shown_ || was_shown;
        course = attend(t);
        is_shown_ = is_shown && !has_acted_;
    }
    state_->rest(false);
    return course;
}

void SteeredLoop::restore(std::vector<Act> acts) {
    state_->restore(std::move(acts));
    apply_standing();
}

void SteeredLoop::apply_standing() {
    for (const Act& act : state_->standing()) apply_(act);
}

}  // namespace dunlin::live
