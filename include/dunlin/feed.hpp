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

/// Protocol between dunlin and a process that computes distances; docs/mds.md has examples. Items are numbers from 0.
/// lines: a batch is one line "i j" per pair, then an empty line; the reply is one line with a number per pair, in the
///     same order. Empty lines in the reply are ignored.
/// binary: a batch is an int32 count and that many pairs of int32 i, j; the reply is as many float32, in the machine's
///     byte order.
enum class FeedFormat { lines, binary };
constexpr std::array<std::string_view, 2> names(FeedFormat) { return {"lines", "binary"}; }

struct FeedOptions {
    FeedFormat format = FeedFormat::lines;
    double timeout = 60;  ///< seconds without output of the process, after which it counts as hung
};

template <class Visit>
void fields(Visit&& visit, FeedOptions& o) {
    visit(field("feed-format", o.format, "protocol of the --feed process"));
    visit(field("feed-timeout", o.timeout, "seconds without output after which the --feed process counts as hung")
              .above(0));
}

/// Starts a process, `sh -c command`, that computes the distances. Its input is closed when the last copy of the result
/// is destroyed. If it has not ended a second later, or at once after a cancellation, it is killed. It does not receive
/// signals for the caller's terminal; its standard error is the caller's.
/// Calls throw Error{bad_file} if the process ends, replies with something that is not a number or with too many
/// numbers, or exceeds the timeout; this function throws it if the process cannot be started.
DUNLIN_API mds::Distances distances_from_process(const std::string& command, const FeedOptions& options = {},
                                                 const Run& run = {});

}  // namespace dunlin::io
