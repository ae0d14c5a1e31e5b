// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>

namespace dunlin::io {

/// Protocol of a distance server, a process that computes distances; docs/mds.md has examples. Items are numbered from
/// 0.
/// lines: a request has one line "i j" per pair, then an empty line. The response has one line with a number per pair,
///     in the same order; its empty lines are ignored.
/// binary: a request is an int32 count, then that many pairs of int32 i, j. The response has that many float32. All
///     values are in the machine's byte order.
enum class FeedFormat { lines, binary };
constexpr std::array<std::string_view, 2> names(FeedFormat) { return {"lines", "binary"}; }

struct FeedOptions {
    FeedFormat format = FeedFormat::lines;
    double patience = 60;  ///< timeout: seconds without a byte from the process
};

template <class Visit>
void fields(Visit&& visit, FeedOptions& o) {
    visit(field("feed-format", o.format, "protocol of the --feed process"));
    visit(field("feed-patience", o.patience, "timeout of the --feed process: seconds without output").above(0));
}

/// Starts a distance server, `sh -c command`, and returns a function that sends it requests. Its input is closed when
/// the last copy of the result is destroyed; it is killed one second later if it still runs, or at once after a stop.
/// It runs in a process group of its own, so that it gets no signal of the caller's terminal, and shares the caller's
/// standard error. Throws Error{bad_file} if it cannot be started. Calls of the result throw Error{bad_file} if the
/// process ends, sends a value that is no number or more values than requested, or exceeds the timeout.
DUNLIN_API mds::Distances feed_by(const std::string& command, const FeedOptions& options = {}, const Run& run = {});

}  // namespace dunlin::io
