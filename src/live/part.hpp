// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <dunlin/live.hpp>

namespace dunlin::live {

/// While an object exists, a watcher sees loops of this thread over a part of the points (such as a component of a
/// graph) as maps of all points. The other points have no place.
class Part {
public:
    /// members: points of the part; must outlive the object. all: number of all points.
    Part(std::span<const Index> members, Index all);

private:
    class Scatter : public Watcher {
    public:
        Scatter(Watcher& of_all, std::span<const Index> members, Index all)
            : of_all_(of_all), members_(members), all_(all) {}
        bool wants() override { return of_all_.wants(); }
        void show(const Moment& moment) override;

    private:
        Watcher& of_all_;
        std::span<const Index> members_;
        Index all_;
        std::vector<float> coordinates_;
    };

    std::optional<Scatter> scatter_;
    std::optional<Watching> watching_;
};

}  // namespace dunlin::live
