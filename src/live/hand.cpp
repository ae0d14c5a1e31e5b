// SPDX-License-Identifier: Apache-2.0
#include "live/hand.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include <dunlin/error.hpp>

namespace dunlin::live {

namespace {

thread_local const Steered* innermost = nullptr;

[[noreturn]] void refuse(const Act& act, const std::string& why) {
    throw Error(Fault::bad_input, fmt::format("the act {}: {}", name_of(act.verb), why));
}

bool comes_before(const Act& a, const Act& b) { return a.pass != b.pass ? a.pass < b.pass : a.iteration < b.iteration; }

}  // namespace

// The public class

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
    if (!s.is_open_) refuse(act, "there is no loop over all points now");
    s.refuse_unfit(act);
    // A hand that moves faster than the loop: the newest places count
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

void Steering::keep_warm(bool is_warm, bool has_hands) {
    const std::scoped_lock lock(state_->mutex_);
    state_->is_warm_ = is_warm;
    state_->has_hands_ = has_hands;
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

bool has_bent(Index points) {
    const Steering::Core* state = steering_of(points);
    return state != nullptr && state->has_bent();
}

bool begins_at_rest(Index points) {
    const Steering::Core* state = steering_of(points);
    return state != nullptr && state->is_warm();
}

Alone::Alone() : outer_(innermost) { innermost = nullptr; }

Alone::~Alone() { innermost = outer_; }

// The state

void Steering::Core::refuse_unfit(const Act& act) const {
    if (act.verb == Verb::set) {
        const auto found = std::find_if(fields_.begin(), fields_.end(),
                                        [&](const SteerableField& field) { return field.name == act.option; });
        if (found == fields_.end()) refuse(act, fmt::format("option {} cannot change now", act.option));
        if (!found->range.contains(act.value))
            refuse(act, fmt::format("{} is {}; it must be {}", act.option, act.value, text_of(found->range)));
        return;
    }
    if (act.verb == Verb::save && !is_warm_) refuse(act, "the loop is not warm: its outputs are written when it ends");
    const bool moves = act.verb == Verb::pin || act.verb == Verb::free || act.verb == Verb::nudge;
    if (!moves) return;
    if (act.points.empty()) refuse(act, "it names no points");
    for (std::size_t i = 0; i < act.points.size(); ++i) {
        if (act.points[i] < 0 || act.points[i] >= points_)
            refuse(act, fmt::format("there is no point {}; the last one is {}", act.points[i], points_ - 1));
        if (i > 0 && act.points[i] <= act.points[i - 1]) refuse(act, "points must ascend");
    }
    const auto dim = static_cast<std::size_t>(dim_);
    const std::size_t wanted = act.verb == Verb::nudge ? dim : act.verb == Verb::pin ? dim * act.points.size() : 0;
    if (act.places.size() != wanted && !(act.verb == Verb::pin && act.places.empty()))
        refuse(act, fmt::format("it has {} coordinates and not {}", act.places.size(), wanted));
    for (const float place : act.places) {
        if (!std::isfinite(place)) refuse(act, fmt::format("a coordinate is {}", place));
    }
}

void Steering::Core::find_replay() {
    const bool is_there = replayed_ < replay_.size();
    next_replay_ = !is_there || replay_[replayed_].pass > pass_ ? std::numeric_limits<Offset>::max()
                   : replay_[replayed_].pass < pass_            ? 0
                                                                : replay_[replayed_].iteration;
}

Index Steering::Core::begin_pass(Index points, int dim, std::vector<SteerableField> fields) {
    const std::scoped_lock lock(mutex_);
    points_ = points, dim_ = dim, fields_ = std::move(fields);
    iteration_ = 0;
    is_open_ = true;
    ending_ = Verb::set;
    ++pass_;
    find_replay();
    return pass_;
}

void Steering::Core::end_pass() {
    const std::scoped_lock lock(mutex_);
    is_open_ = is_resting_ = false;
    pending_.clear();
    update_news();
}

void Steering::Core::begin_again() {
    const std::scoped_lock lock(mutex_);
    ++pass_;
    iteration_ = 0;
    find_replay();
}

std::optional<Act> Steering::Core::take(Offset t) {
    const std::scoped_lock lock(mutex_);
    iteration_ = t;
    Act act;
    if (replayed_ < replay_.size() && t >= next_replay_) {
        act = replay_[replayed_++];
        if (act.pass != pass_ || act.iteration != t)
            refuse(act,
                   fmt::format("it was done before iteration {} of pass {}, which this run has not; it was another run",
                               act.iteration, act.pass));
        refuse_unfit(act);
        find_replay();
    } else if (!pending_.empty()) {
        act = std::move(pending_.front());
        pending_.erase(pending_.begin());
        update_news();
    } else {
        return std::nullopt;
    }
    act.pass = pass_;
    act.iteration = t;
    if (act.verb == Verb::set) {
        for (SteerableField& field : fields_) {
            if (field.name == act.option) field.value = act.value;
        }
    }
    if (act.verb == Verb::finish || act.verb == Verb::stop || act.verb == Verb::save) ending_ = act.verb;
    log_.push_back(act);
    return act;
}

bool Steering::Core::waits(Offset t) {
    const std::scoped_lock lock(mutex_);
    iteration_ = t;
    if (!is_paused_) return false;
    if (steps_ == 0) return true;
    --steps_;
    return false;
}

void Steering::Core::wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, std::chrono::milliseconds(50),
                      [&] { return !pending_.empty() || !is_paused_ || steps_ > 0; });
}

void Steering::Core::rest(bool is_resting) {
    const std::scoped_lock lock(mutex_);
    is_resting_ = is_resting;
}

bool Steering::Core::stays(Offset t) const {
    const std::scoped_lock lock(mutex_);
    return (is_warm_ && has_hands_) || t >= next_replay_;
}

bool Steering::Core::is_warm() const {
    const std::scoped_lock lock(mutex_);
    return is_warm_;
}

bool Steering::Core::has_bent() const {
    const std::scoped_lock lock(mutex_);
    return std::any_of(log_.begin(), log_.end(), [](const Act& act) { return act.verb != Verb::set; });
}

void Steering::Core::restore(std::vector<Act> log) {
    const std::scoped_lock lock(mutex_);
    log_ = std::move(log);
    pass_ += static_cast<Index>(std::count_if(log_.begin(), log_.end(), [first = pass_](const Act& act) {
        return act.verb == Verb::restart && act.pass >= first;
    }));
    replayed_ = std::min(replay_.size(), log_.size());
    find_replay();
}

std::vector<Act> Steering::Core::standing() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Act> acts;
    std::set<Index> pinned;
    for (const Act& act : log_) {
        const auto is_it = [&](const SteerableField& field) { return field.name == act.option; };
        if (act.verb == Verb::set && std::any_of(fields_.begin(), fields_.end(), is_it)) acts.push_back(act);
        if (act.verb == Verb::pin) pinned.insert(act.points.begin(), act.points.end());
        if (act.verb == Verb::free)
            for (const Index point : act.points) pinned.erase(point);
    }
    if (!pinned.empty()) acts.push_back({.verb = Verb::pin, .points = {pinned.begin(), pinned.end()}});
    return acts;
}

std::vector<Act> Steering::Core::log() const {
    const std::scoped_lock lock(mutex_);
    return log_;
}

// The loop

Hand::Hand(Index points, int dim, std::vector<SteerableField> fields, std::stop_token stop, Apply apply, Show show)
    : state_(steering_of(points)), stop_(std::move(stop)), apply_(std::move(apply)), show_(std::move(show)) {
    if (state_ == nullptr) return;
    first_pass_ = state_->begin_pass(points, dim, std::move(fields));
    // What was set and pinned in earlier loops holds
    for (const Act& act : state_->standing()) apply_(act);
}

Hand::~Hand() {
    if (state_ != nullptr) state_->end_pass();
}

Course Hand::attend(Offset t) {
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

void Hand::wait() {
    if (!is_shown_) is_shown_ = show_();
    state_->wait(stop_);
}

Course Hand::rest(Offset t) {
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

void Hand::restore(std::vector<Act> acts) {
    state_->restore(acts);
    for (Act& act : acts) {
        if (act.pass < first_pass_ || act.verb == Verb::nudge || act.verb > Verb::nudge) continue;
        act.places.clear();  // they are there
        apply_(act);
    }
}

}  // namespace dunlin::live
