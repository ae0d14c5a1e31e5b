// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

/// Cancellation and progress inside long work; docs/cancellation.md describes the whole mechanism.
namespace dunlin::device {

/// Thrown by cancellation_point() and out of loops once a stop was requested.
struct Cancelled {};

/// While one lives, cancellation points of this thread, and of the loops it launches on a CPU, check the token. Scopes
/// nest; a token without a stop state leaves the outer scope in force. The token must outlive the scope.
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

/// While one lives, cancellation points of this thread and of its loops report progress and never throw: for updates
/// that must not be left halfway, such as the step of all points, or their new order.
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

/// Reports this thread's progress if it is due (device/progress.hpp), and throws Cancelled if a stop was requested of
/// this thread's scope. Every block of a loop on a CPU begins with one; serial work of more than some milliseconds has
/// its own.
void cancellation_point();

/// Calls work() with cancellation points that check `stop`, the first one before it. Returns true if the work ended by
/// itself, false if it was cancelled; what it computed is then incomplete. The stop of an outer scope passes through as
/// Cancelled.
template <class Work>
bool run_cancellable(const std::stop_token& stop, const Work& work) {
    const CancellationScope scope(stop);
    try {
        cancellation_point();
        work();
        return true;
    } catch (const Cancelled&) {
        if (!stop.stop_requested()) throw;
        return false;
    }
}

}  // namespace dunlin::device
