// SPDX-License-Identifier: Apache-2.0
#include "live_map.hpp"

#include <utility>

namespace dunlin::serve {

LiveMap::State LiveMap::state() const {
    const std::scoped_lock lock(mutex_);
    return state_;
}

template <class Change>
void LiveMap::change(const Change& apply) {
    const std::scoped_lock lock(mutex_);
    apply();
    for (const auto& [page, on_change] : listeners_) on_change();
}

void LiveMap::show(std::shared_ptr<const Viewed> viewed, bool runs) {
    change([&] {
        ++state_.content;
        state_.viewed = std::move(viewed);
        state_.moved = nullptr;
        state_.runs = runs;
    });
}

void LiveMap::announce(std::shared_ptr<const Viewed> sample) {
    change([&] { state_.sample = std::move(sample); });
}

void LiveMap::move(Moved moved) {
    auto newest = std::make_shared<const Moved>(std::move(moved));
    change([&] { state_.moved = std::move(newest); });
}

void LiveMap::say(std::string status) {
    auto newest = std::make_shared<const std::string>(std::move(status));
    change([&] {
        ++state_.said;
        state_.status = std::move(newest);
    });
}

int LiveMap::join(std::function<void()> on_change) {
    const std::scoped_lock lock(mutex_);
    listeners_.emplace(++last_page_, std::move(on_change));
    return last_page_;
}

void LiveMap::leave(int page) {
    const std::scoped_lock lock(mutex_);
    listeners_.erase(page);
}

}  // namespace dunlin::serve
