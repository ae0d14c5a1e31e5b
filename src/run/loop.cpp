// SPDX-License-Identifier: Apache-2.0
#include "run/loop.hpp"

#include <algorithm>
#include <utility>

#include "device/ranks.hpp"

namespace dunlin::run {

namespace {

live::SteeredLoop steered_loop(const Run& run, MovingMap* map, live::Watcher* watcher, const Position& at) {
    auto fields = map != nullptr ? map->fields() : std::nullopt;
    if (!fields) return {-1, 2, {}, run.stop, {}, {}};
    // Acts come to one thread: several ranks are not steered
    return {device::Rank::current() != nullptr ? -1 : map->points(),
            map->dim(),
            std::move(*fields),
            run.stop,
            [map, &at](const live::Act& act) { map->apply(act, at.iteration); },
            [map, watcher, &at] { return watcher == nullptr || map->show(*watcher, at.iteration, true); },
            map->farthest()};
}

}  // namespace

Loop::Loop(const Run& run, const LoopNames& names, LoopState& state, MovingMap* map)
    : run_(run),
      names_(names),
      state_(state),
      map_(map),
      is_steered_(map != nullptr && map->fields().has_value()),
      watcher_(map != nullptr ? live::watcher_of(map->points()) : nullptr),
      progress_(run, names.stage, names.limit),
      steered_(steered_loop(run, map, watcher_, position_)) {
    if (!names.checkpoint.empty()) kept_ = checkpoint::Loop(names.checkpoint);
    kept_.resume([this](checkpoint::ArchiveReader& archive) { read(archive); });
    is_over_ = position_.ended.has_value();
    if (is_over_) return;
    progress_.tick(position_.iteration);
    show();
}

bool Loop::next() {
    using live::Course;
    const bool begins = !std::exchange(has_begun_, true) && !is_over_;
    if (begins && steered_.begins_at_rest() && can_rest() && !goes_on_after_rest()) end(Stopped::converged);
    while (!is_over_) {
        // A loop that can rest does the acts that come at its limit
        if (is_at_limit() && !can_rest()) return end(names_.at_limit), false;
        switch (steered_.before(position_.iteration)) {
            case Course::go_on:
                if (!is_at_limit()) return true;
                if (!goes_on_after_rest()) end(names_.at_limit);
                break;
            case Course::restart:
                position_.iteration = map_->begin_again(position_.iteration);
                break;
            case Course::finish:
                end(Stopped::budget);
                break;
            case Course::stop:
                is_over_ = true;
                kept_.save(position_.iteration, [this](checkpoint::ArchiveWriter& archive) { write(archive); });
                break;
        }
    }
    return false;
}

bool Loop::goes_on_after_rest() {
    if (!can_rest()) return false;
    const live::Course course = steered_.rest(position_.iteration);
    if (course == live::Course::restart) position_.iteration = map_->begin_again(position_.iteration);
    const bool goes_on = course == live::Course::go_on || course == live::Course::restart;
    map_->rested(position_.iteration, goes_on);
    return goes_on;
}

bool Loop::begin() {
    settled_ = Settled::no;
    advance_ = 1;
    if (kept_.is_kept()) state_.keep();
    if (names_.rank == nullptr) {
        token_ = run_.stop;
        return true;
    }
    // Ranks notice a stop at different times: they agree before each iteration, which none then leaves
    if (!names_.rank->any(run_.stop.stop_requested())) return true;
    cancel();
    return false;
}

void Loop::complete() {
    if (settled_ == Settled::before) return end(Stopped::converged);
    position_.iteration += advance_;
    if (map_ != nullptr) map_->put_back();
    if (settled_ == Settled::after && !goes_on_after_rest()) return end(Stopped::converged);
    const Offset done = std::min(position_.iteration, names_.limit);
    map_ != nullptr ? progress_.tick(done, [this] { return map_->positions(); }) : progress_.tick(done);
    show();
    kept_.offer(position_.iteration, [this](checkpoint::ArchiveWriter& archive) { write(archive); });
}

void Loop::cancel() {
    is_over_ = true;
    position_.iteration = state_.reached(position_.iteration);
    kept_.save(position_.iteration, [this](checkpoint::ArchiveWriter& archive) {
        state_.write_kept(archive, position_);
        if (is_steered_) steered_.write(archive);
    });
}

void Loop::end(Stopped why) {
    position_.ended = why;
    is_over_ = true;
    kept_.end(position_.iteration, [this](checkpoint::ArchiveWriter& archive) { write(archive); });
}

void Loop::show() {
    if (watcher_ != nullptr) map_->show(*watcher_, position_.iteration, false);
}

void Loop::write(checkpoint::ArchiveWriter& archive) const {
    state_.write(archive, position_);
    if (is_steered_) steered_.write(archive);
}

void Loop::read(checkpoint::ArchiveReader& archive) {
    position_ = state_.read(archive);
    archive.require(position_.iteration >= 0 && position_.iteration <= names_.limit, "iteration");
    if (!kept_.had_ended()) position_.ended.reset();
    if (is_steered_) steered_.read(archive);
    state_.resumed();
}

}  // namespace dunlin::run
