// SPDX-License-Identifier: Apache-2.0
#include "live/steering_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include <dunlin/error.hpp>

namespace dunlin::live {

void Steering::Core::refuse(const Act& act, const std::string& why) {
    throw Error(Fault::bad_input, fmt::format("the act {}: {}", name_of(act.verb), why));
}

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
        if (std::abs(place) > farthest_)
            refuse(act,
                   fmt::format("a coordinate is {}, and the limit is {:g} on both sides of zero", place, farthest_));
    }
}

void Steering::Core::note_value(const Act& act) {
    if (act.verb != Verb::set) return;
    for (SteerableField& field : fields_) {
        if (field.name == act.option) field.value = act.value;
    }
}

void Steering::Core::find_replay() {
    const bool is_there = replayed_ < replay_.size();
    next_replay_ = !is_there || replay_[replayed_].pass > pass_ ? std::numeric_limits<Offset>::max()
                   : replay_[replayed_].pass < pass_            ? 0
                                                                : replay_[replayed_].iteration;
}

void Steering::Core::begin_pass(Index points, int dim, std::vector<SteerableField> fields, float farthest) {
    const std::scoped_lock lock(mutex_);
    points_ = points, dim_ = dim, fields_ = std::move(fields), farthest_ = farthest;
    for (const Act& act : log_) note_value(act);
    iteration_ = 0;
    is_open_ = true;
    ending_ = Verb::set;
    ++pass_;
    find_replay();
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
    note_value(act);
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
    return (is_warm_ && takes_acts_) || t >= next_replay_;
}

bool Steering::Core::is_warm() const {
    const std::scoped_lock lock(mutex_);
    return is_warm_;
}

bool Steering::Core::is_changed_by_acts() const {
    const std::scoped_lock lock(mutex_);
    return std::any_of(log_.begin(), log_.end(), [](const Act& act) { return act.verb != Verb::set; });
}

void Steering::Core::restore(std::vector<Act> log) {
    const std::scoped_lock lock(mutex_);
    log_ = std::move(log);
    for (const Act& act : log_) note_value(act);
    pass_ += static_cast<Index>(std::count_if(log_.begin(), log_.end(), [first = pass_](const Act& act) {
        return act.verb == Verb::restart && act.pass >= first;
    }));
    replayed_ = std::min(replay_.size(), log_.size());
    find_replay();
}

std::vector<Act> Steering::Core::standing() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Act> acts;
    std::set<Index> pinned, free;
    for (const Act& act : log_) {
        const auto is_it = [&](const SteerableField& field) { return field.name == act.option; };
        if (act.verb == Verb::set && std::any_of(fields_.begin(), fields_.end(), is_it)) acts.push_back(act);
        for (const Index point : act.points) {
            if (act.verb == Verb::nudge) continue;
            (act.verb == Verb::pin ? pinned : free).insert(point);
            (act.verb == Verb::pin ? free : pinned).erase(point);
        }
    }
    if (!free.empty()) acts.push_back({.verb = Verb::free, .points = {free.begin(), free.end()}});
    if (!pinned.empty()) acts.push_back({.verb = Verb::pin, .points = {pinned.begin(), pinned.end()}});
    return acts;
}

std::vector<Act> Steering::Core::log() const {
    const std::scoped_lock lock(mutex_);
    return log_;
}

}  // namespace dunlin::live
