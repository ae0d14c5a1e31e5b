// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <utility>

#include "device/ranks.hpp"

namespace dunlin::device {

/// A stop that all ranks notice at the same point of their work: its token becomes requested in check() only, which all
/// ranks call. Cancellation points between, of each rank at its own time, then do what they do on one device.
class AgreedStop {
public:
    AgreedStop(Rank& rank, std::stop_token requested) : rank_(rank), requested_(std::move(requested)) {}

    [[nodiscard]] Rank& rank() const { return rank_; }
    void check() {
        if (rank_.any(requested_.stop_requested())) agreed_.request_stop();
    }
    /// The run of a rank with this stop.
    [[nodiscard]] Run in(const Run& run) const {
        Run own = run;
        own.stop = agreed_.get_token();
        return own;
    }

private:
    Rank& rank_;
    std::stop_token requested_;
    std::stop_source agreed_;
};

}  // namespace dunlin::device
