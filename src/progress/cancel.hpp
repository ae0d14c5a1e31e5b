// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <stop_token>

#include "progress/file_mappings.hpp"

/// Cancellation and progress inside long work; docs/cancellation.md describes the whole mechanism.
namespace dunlin::progress {

/// Thrown by cancellation_point(), and hence out of loops, after a stop was requested.
struct Cancelled {};

/// During its lifetime, cancellation points of this thread and of the CPU loops that it launches check the token.
/// Scopes nest; with a token without a stop state the outer scope stays active. The token must outlive the scope.
class CancellationScope {
public:
    explicit CancellationScope(const std::stop_token& stop);
    ~CancellationScope();
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;
    CancellationScope(CancellationScope&&) = delete;
    CancellationScope& operator=(CancellationScope&&) = delete;

    /// The token of this thread's innermost scope, or null.
    [[nodiscard]] static const std::stop_token* current();

private:
    const std::stop_token* outer_;
};

/// During its lifetime, cancellation points of this thread and of its loops report progress but do not throw. For
/// updates that must be complete, such as a step or reordering of all points.
class Uncancellable {
public:
    Uncancellable();
    ~Uncancellable();
    Uncancellable(const Uncancellable&) = delete;
    Uncancellable& operator=(const Uncancellable&) = delete;
    Uncancellable(Uncancellable&&) = delete;
    Uncancellable& operator=(Uncancellable&&) = delete;

private:
    const std::stop_token* outer_;
};

/// Reports this thread's progress if it is due (progress/progress.hpp), and throws Cancelled if a stop of this thread's
/// scope was requested. Every block of a CPU loop begins with a cancellation point; serial work of more than a few
/// milliseconds calls it explicitly.
void cancellation_point();

/// Calls work() in a scope of `stop`, with a cancellation point before it. Returns true if the work was completed,
/// false if it was cancelled and its results are incomplete. The stop of an outer scope propagates as Cancelled. Throws
/// Error{bad_file} if a mapped file was written to, which also explains other errors.
template <class Work>
bool run_cancellable(const std::stop_token& stop, const Work& work) {
    const CancellationScope scope(stop);
    const UseOfMappings files;
    try {
        cancellation_point();
        work();
        files.require_unchanged();
        return true;
    } catch (const Cancelled&) {
        if (!stop.stop_requested()) throw;
        return false;
    } catch (const std::exception&) {
        files.require_unchanged();
        throw;
    }
}

}  // namespace dunlin::progress
