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

/// How a process is asked for distances and answers; docs/mds.md has examples. Items are numbers from 0.
/// lines: a batch is a line "i j" a pair and an empty line at its end; the answer is a line with a number a pair, in
///     their order. Empty lines in the answer are passed over.
/// binary: a batch is an int32 count, then as many pairs of int32 i, j; the answer as many float32; in the machine's
///     byte order.
enum class FeedFormat { lines, binary };
constexpr std::array<std::string_view, 2> names(FeedFormat) { return {"lines", "binary"}; }

struct FeedOptions {
    FeedFormat format = FeedFormat::lines;
    double patience = 60;  ///< seconds without a byte from the process, after which it is taken to hang
};

template <class Visit>
void fields(Visit&& visit, FeedOptions& o) {
    visit(field("feed-format", o.format, "how the --feed process is asked and answers"));
    visit(field("feed-patience", o.patience, "seconds of silence after which the --feed process is taken to hang")
              .above(0));
}

/// Starts a process, `sh -c command`, and asks it for the distances. It sees the end of its input when the last copy of
/// the result is gone, and is ended if it has not ended by itself a second later, or at once after a stop; it gets no
/// signal that is meant for the caller's terminal. What it writes to its standard error is the caller's.
/// Calls throw Error{bad_file} if it ends, answers with what is no number or more than it was asked for, or is silent
/// for too long; here if it cannot be started.
DUNLIN_API mds::Distances feed_by(const std::string& command, const FeedOptions& options = {}, const Run& run = {});

}  // namespace dunlin::io
