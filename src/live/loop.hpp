// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/live.hpp>

namespace dunlin::live {

/// The watcher of this thread if it watches maps of this number of points. Null: none.
Watcher* watcher_of(Index points);

/// While an object exists, loops of this thread are not watched. For calls that make several maps at a time.
class Unseen {
public:
    Unseen();
    ~Unseen();
    Unseen(const Unseen&) = delete;
    Unseen& operator=(const Unseen&) = delete;
    Unseen(Unseen&&) = delete;
    Unseen& operator=(Unseen&&) = delete;

private:
    const Watching* outer_;
};

/// The loop of a method over n points, as a watcher sees it.
class WatchedLoop {
public:
    WatchedLoop(Index n, int dim);

    /// Shows the map after this number of iterations if the watcher wants it. positions() returns its coordinates, n x
    /// dim, in the order of the input. Returns false only if there is a watcher and it did not take the map.
    template <class Positions>
    bool show(Offset iteration, const Positions& positions) const {
        if (watcher_ == nullptr) return true;
        if (!watcher_->wants()) return false;
        const auto& coordinates = positions();
        watcher_->show({iteration, dim_, coordinates});
        return true;
    }

private:
    Watcher* watcher_ = nullptr;
    int dim_;
};

}  // namespace dunlin::live
