// SPDX-License-Identifier: Apache-2.0
#include "live/loop.hpp"

#include <limits>

#include "live/part.hpp"
#include "math/at.hpp"

namespace dunlin::live {

namespace {

thread_local const Watching* innermost = nullptr;

}  // namespace

Watching::Watching(Watcher& watcher, Index points) : watcher_(watcher), points_(points), outer_(innermost) {
    innermost = this;
}

Watching::~Watching() { innermost = outer_; }

Unseen::Unseen() : outer_(innermost) { innermost = nullptr; }

Unseen::~Unseen() { innermost = outer_; }

WatchedLoop::WatchedLoop(Index n, int dim) : dim_(dim) { watcher_ = watcher_of(n); }

Watcher* watcher_of(Index points) {
    return innermost != nullptr && innermost->points_ == points ? &innermost->watcher_ : nullptr;
}

Part::Part(std::span<const Index> members, Index all) {
    Watcher* of_all = watcher_of(all);
    if (of_all == nullptr || std::ssize(members) == all) return;
    scatter_.emplace(*of_all, members, all);
    watching_.emplace(*scatter_, static_cast<Index>(members.size()));
}

void Part::Scatter::show(const Moment& moment) {
    const std::size_t dim = at(moment.dim);
    coordinates_.assign(at(all_) * dim, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < members_.size(); ++i) {
        for (std::size_t c = 0; c < dim; ++c) coordinates_[at(members_[i]) * dim + c] = moment.coordinates[i * dim + c];
    }
    of_all_.show({moment.iteration, moment.dim, coordinates_});
}

}  // namespace dunlin::live
