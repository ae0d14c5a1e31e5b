// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descent/state.hpp"
#include "live/loop.hpp"

namespace dunlin::descent {

/// The map of a descent, as a watcher sees it. On a GPU it is copied while the loop goes on (watched_map.cuh).
template <class Exec>
class WatchedMap {
public:
    /// Both arguments must outlive the object.
    WatchedMap(Exec& exec, const DescentState<Exec>& state)
        : exec_(exec), state_(state), loop_(state.n, state.map_dim) {}

    /// Shows the map after this number of iterations if the watcher wants it, at once or between later iterations.
    void show(Offset iteration) const { show_now(iteration); }

    /// Shows the map before the next iteration if the watcher wants it. Returns as live::WatchedLoop::show.
    bool show_now(Offset iteration) const {
        return loop_.show(iteration, [&] { return map_coordinates(exec_, state_); });
    }

private:
    Exec& exec_;
    const DescentState<Exec>& state_;
    live::WatchedLoop loop_;
};

}  // namespace dunlin::descent
