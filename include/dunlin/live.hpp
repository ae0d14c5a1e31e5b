// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

/// Maps that are seen while they form.
namespace dunlin::live {

/// A map between two iterations.
struct Moment {
    Offset iteration = 0;                     ///< finished ones of the loop
    int dim = 2;                              ///< of the map
    std::span<const float> coordinates = {};  ///< n x dim, in the order of the input; NaN: not placed yet
    std::shared_ptr<const void> owner = {};   ///< coordinates stay as they are while it is held; null: during the call
};

/// Sees maps on the thread of the method, which it must not hold up. A result does not depend on it.
class Watcher {
public:
    Watcher() = default;
    virtual ~Watcher() = default;
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    Watcher(Watcher&&) = delete;
    Watcher& operator=(Watcher&&) = delete;

    /// Returns whether to call show() with the present map. Called after every iteration; on a GPU only after
    /// iterations at which the copy of the last map is complete.
    virtual bool wants() = 0;
    virtual void show(const Moment& moment) = 0;
};

Watcher* watcher_of(Index points);

/// While an object exists, the methods that this thread calls show their maps of this number of points to the watcher:
/// t-SNE, UMAP, PaCMAP, layouts, multidimensional scaling. Scopes nest: the innermost one applies.
class DUNLIN_API Watching {
public:
    Watching(Watcher& watcher, Index points);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;
    Watching(Watching&&) = delete;
    Watching& operator=(Watching&&) = delete;

private:
    friend Watcher* watcher_of(Index points);
    Watcher& watcher_;
    Index points_;
    const Watching* outer_;
};

}  // namespace dunlin::live
