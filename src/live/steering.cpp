// SPDX-License-Identifier: Apache-2.0
#include <dunlin/steering.hpp>

#include <fmt/format.h>

#include <utility>

#include <dunlin/error.hpp>

#include "live/steering_core.hpp"

namespace dunlin::live {

namespace {

thread_local const Steered* innermost = nullptr;

bool comes_before(const Act& a, const Act& b) { return a.pass != b.pass ? a.pass < b.pass : a.iteration < b.iteration; }

}  // namespace

Steering::Steering(std::vector<Act> replay) : state_(std::make_unique<Core>(std::move(replay))) {
    for (std::size_t i = 1; i < state_->replay_.size(); ++i) {
        if (comes_before(state_->replay_[i], state_->replay_[i - 1]))
            throw Error(Fault::bad_input, fmt::format("act {} is earlier than the one before it", i));
    }
}

Steering::~Steering() = default;

void Steering::act(Act act) {
    Core& s = *state_;
    const std::scoped_lock lock(s.mutex_);
    if (!s.is_open_) Core::refuse(act, "there is no loop over all points now");
    s.refuse_unfit(act);
    // Acts that come faster than iterations: the newest places count
    if (act.verb == Verb::pin && !act.places.empty() && !s.pending_.empty() && s.pending_.back().verb == Verb::pin &&
        s.pending_.back().points == act.points) {
        s.pending_.back().places = std::move(act.places);
    } else if (act.verb == Verb::set && !s.pending_.empty() && s.pending_.back().verb == Verb::set &&
               s.pending_.back().option == act.option) {
        s.pending_.back().value = act.value;
    } else {
        s.pending_.push_back(std::move(act));
    }
    s.update_news();
    s.changed_.notify_all();
}

void Steering::pause() {
    const std::scoped_lock lock(state_->mutex_);
    state_->is_paused_ = true;
    state_->steps_ = 0;
    state_->update_news();
}

void Steering::resume() {
    const std::scoped_lock lock(state_->mutex_);
    state_->is_paused_ = false;
    state_->update_news();
    state_->changed_.notify_all();
}

void Steering::step() {
    const std::scoped_lock lock(state_->mutex_);
    state_->is_paused_ = true;
    ++state_->steps_;
    state_->update_news();
    state_->changed_.notify_all();
}

void Steering::keep_warm(bool is_warm, bool takes_acts) {
    const std::scoped_lock lock(state_->mutex_);
    state_->is_warm_ = is_warm;
    state_->takes_acts_ = takes_acts;
    state_->changed_.notify_all();
}

std::vector<Act> Steering::log() const { return state_->log(); }

Offset Steering::left() const {
    const std::scoped_lock lock(state_->mutex_);
    return std::ssize(state_->replay_) - static_cast<Offset>(state_->replayed_);
}

Verb Steering::ending() const {
    const std::scoped_lock lock(state_->mutex_);
    return state_->ending_;
}

Steering::Now Steering::now() const {
    const Core& s = *state_;
    const std::scoped_lock lock(s.mutex_);
    return {s.is_open_, s.is_paused_, s.is_resting_, s.pass_, s.iteration_, s.dim_, s.fields_, std::ssize(s.log_)};
}

Steered::Steered(Steering& steering, Index points) : steering_(steering), points_(points), outer_(innermost) {
    innermost = this;
}

Steered::~Steered() { innermost = outer_; }

Steering::Core* steering_of(Index points) {
    return innermost != nullptr && innermost->points_ == points ? &innermost->steering_.state() : nullptr;
}

bool is_changed_by_acts(Index points) {
    const Steering::Core* state = steering_of(points);
    return state != nullptr && state->is_changed_by_acts();
}

bool begins_at_rest(Index points) {
    const Steering::Core* state = steering_of(points);
    return state != nullptr && state->is_warm();
}

Alone::Alone() : outer_(innermost) { innermost = nullptr; }

Alone::~Alone() { innermost = outer_; }

}  // namespace dunlin::live
