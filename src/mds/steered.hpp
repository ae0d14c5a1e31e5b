// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <utility>

#include <dunlin/mds.hpp>
#include <dunlin/run.hpp>

#include "checkpoint/archive.hpp"
#include "live/held.hpp"
#include "live/loop.hpp"
#include "live/steered_loop.hpp"
#include "progress/cancel.hpp"

/// Steering of the loops of scaling: they have no fixed points of their own.
namespace dunlin::mds {

/// The steered loop over coordinates y (count x dim), and the points that it holds.
template <class Exec>
class SteeredMap {
public:
    using Buffer = typename Exec::template Buffer<float>;

    /// o: resolved. order: of the rows, or none. after(): what a changed map needs.
    SteeredMap(Exec& exec, Buffer& y, Index count, int dim, const Options& o, const Run& run,
               const live::SteeredLoop::Show& show, std::span<const Index> order = {}, std::function<void()> after = {})
        : exec_(exec),
          y_(y),
          dim_(dim),
          options_(o),
          held_(order),
          after_(std::move(after)),
          steered_(
              count, dim, live::steerable_fields(o), run.stop, [this](const live::Act& act) { apply(act); }, show) {}

    /// As acts have set them.
    [[nodiscard]] const Options& options() const { return options_; }

    /// Before iteration t.
    live::Course before(Offset t) { return steered_.before(t); }
    /// After an iteration.
    void put_back() {
        const progress::Uncancellable whole;
        held_.put_back(exec_, y_, dim_);
    }

    void write(checkpoint::ArchiveWriter& archive) const { steered_.write(archive); }
    void read(checkpoint::ArchiveReader& archive) { steered_.read(archive); }

private:
    void apply(const live::Act& act) {
        if (act.verb == live::Verb::set) {
            live::set_option(options_, act);
        } else {
            const progress::Uncancellable whole;
            held_.move(exec_, y_, dim_, act);
            if (after_) after_();
        }
        exec_.forget();
    }

    Exec& exec_;
    Buffer& y_;
    int dim_;
    Options options_;
    live::HeldPoints<Exec> held_;
    std::function<void()> after_;
    live::SteeredLoop steered_;
};

}  // namespace dunlin::mds
