// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <dunlin/steering.hpp>

#include "viewed.hpp"

namespace dunlin::serve {

/// What pages show, now: a map with all that is known about it, the places of its points if they move, and how far the
/// run is. Newer values replace older ones, so that a slow page misses maps and holds nothing up.
class LiveMap {
public:
    /// A map that has moved: frames of picture::moving_frames.
    struct Moved {
        std::uint32_t number = 0;
        std::vector<std::string> frames;
        bool is_near = false;  ///< to `viewed`: no point is elsewhere to be seen
    };
    struct State {
        std::uint32_t content = 0;  ///< counts the values of `viewed`; 0: there is none yet
        std::shared_ptr<const Viewed> viewed;
        std::shared_ptr<const Viewed> sample;  ///< content and selection only: a new page has this first; null: none
        std::shared_ptr<const Moved> moved;    ///< null: the map has not moved since `viewed`
        std::uint32_t said = 0;                ///< counts the values of `status`
        std::shared_ptr<const std::string> status;
        bool runs = false;  ///< more maps may come
    };

    [[nodiscard]] State state() const;
    void show(std::shared_ptr<const Viewed> viewed, bool runs);
    /// Some points of the map that will be shown; set before there are pages.
    void announce(std::shared_ptr<const Viewed> sample);
    void move(Moved moved);
    /// A JSON object for the pages.
    void say(std::string status);

    /// A page; on_change is called from any thread and must not wait.
    int join(std::function<void()> on_change);
    void leave(int page);

    /// What pages may steer, and what follows; set before there are pages.
    live::Steering* steering = nullptr;
    std::function<void()> on_steered;

    std::atomic<int> pages = 0;  ///< that are open
    std::atomic<bool> had_pages = false;
    std::atomic<int> waiting = 0;  ///< of these, how many a map is to be made for

private:
    template <class Change>
    void change(const Change& apply);

    mutable std::mutex mutex_;
    State state_;
    std::map<int, std::function<void()>> listeners_;
    int last_page_ = 0;
};

}  // namespace dunlin::serve
