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
        : name_("the feed '" + shown(command, 200) + "'"), options_(options), stop_(stop), process_(command) {}

    void request(std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
        const std::string bytes = encode_pairs(options_.format, i, j);
        std::string_view left = bytes;
        DistanceParser parser(options_.format, out, name_);
        auto last_active = Clock::now();
        while (!parser.complete()) {
            const std::size_t before = left.size();
            const std::string received = process_.exchange(left, std::chrono::milliseconds(100));
            parser.parse(received);
            if (stop_.stop_requested()) fail("was stopped", true, parser);
            if (process_.is_silent() && !parser.complete()) fail("ended", false, parser);
            if (!received.empty() || left.size() != before) last_active = Clock::now();
            if (std::chrono::duration<double>(Clock::now() - last_active).count() > options_.timeout) {
                fail(fmt::format("was silent for {} s (does it flush its output at the end of a batch?)",
                                 options_.timeout),
                     true, parser);
            }
        }
    }

private:
    [[noreturn]] void fail(const std::string& what, bool at_once, const DistanceParser& parser) {
        process_.end(at_once);
        bad_file("{} {} after {} answers to a batch of {} pairs{}", name_, what, parser.count(), parser.size(),
                 at_once ? "" : fmt::format(" ({})", process_.ending()));
    }

    std::string name_;
    FeedOptions options_;
    std::stop_token stop_;
    Process process_;
};

}  // namespace

mds::Distances distances_from_process(const std::string& command, const FeedOptions& options, const Run& run) {
    if (!(options.timeout > 0)) bad_option("feed-timeout", "is {}; it must be above 0", options.timeout);
    const auto server = std::make_shared<DistanceServer>(command, options, run.stop);
    return [server](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
        server->request(i, j, out);
    };
}

}  // namespace dunlin::io
