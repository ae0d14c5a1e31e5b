// SPDX-License-Identifier: Apache-2.0
#include <dunlin/feed.hpp>

#include <chrono>
#include <memory>

#include "io/distance_protocol.hpp"
#include "io/fail.hpp"
#include "io/process.hpp"

namespace dunlin::io {

namespace {

using Clock = std::chrono::steady_clock;

class DistanceServer {
public:
    DistanceServer(const std::string& command, const FeedOptions& options, const std::stop_token& stop)
        : who_("the feed '" + shown(command, 200) + "'"), options_(options), stop_(stop), process_(command) {}

    void ask(std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
        const std::string question = encode_pairs(options_.format, i, j);
        std::string_view left = question;
        DistanceParser answers(options_.format, out, who_);
        auto heard = Clock::now();
        while (!answers.complete()) {
            const std::size_t before = left.size();
            const std::string said = process_.exchange(left, std::chrono::milliseconds(100));
            answers.take(said);
            if (stop_.stop_requested()) give_up("was stopped", true, answers);
            if (process_.is_silent() && !answers.complete()) give_up("ended", false, answers);
            if (!said.empty() || left.size() != before) heard = Clock::now();
            if (std::chrono::duration<double>(Clock::now() - heard).count() > options_.patience) {
                give_up(fmt::format("was silent for {} s (does it flush its output at the end of a batch?)",
                                    options_.patience),
                        true, answers);
            }
        }
    }

private:
    [[noreturn]] void give_up(const std::string& what, bool at_once, const DistanceParser& answers) {
        process_.end(at_once);
        bad_file("{} {} after {} answers to a batch of {} pairs{}", who_, what, answers.count(), answers.size(),
                 at_once ? "" : fmt::format(" ({})", process_.ending()));
    }

    std::string who_;
    FeedOptions options_;
    std::stop_token stop_;
    Process process_;
};

}  // namespace

mds::Distances feed_by(const std::string& command, const FeedOptions& options, const Run& run) {
    if (!(options.patience > 0)) bad_option("feed-patience", "is {}; it must be above 0", options.patience);
    const auto feeder = std::make_shared<DistanceServer>(command, options, run.stop);
    return
        [feeder](std::span<const Index> i, std::span<const Index> j, std::span<float> out) { feeder->ask(i, j, out); };
}

}  // namespace dunlin::io
