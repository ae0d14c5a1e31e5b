#pragma once

#include <stop_token>

/// Stops for work of which nothing is kept when it is left halfway: its loops end by an exception. Work that returns
/// what it has so far asks between its steps instead.
namespace dunlin::device {

/// Thrown by heed() and out of loops once a stop was asked for.
struct Cancelled {};

/// While one lives, the loops that this thread launches on a CPU heed the stop, before each of their blocks. A token
/// that nobody can stop leaves an outer Heeding as it is.
class Heeding {
public:
    explicit Heeding(const std::stop_token& stop);
    ~Heeding();
    Heeding(const Heeding&) = delete;
    Heeding& operator=(const Heeding&) = delete;
    Heeding(Heeding&&) = delete;
    Heeding& operator=(Heeding&&) = delete;

    /// What this thread heeds, or null.
    [[nodiscard]] static const std::stop_token* current();

private:
    const std::stop_token* outer_;
};

/// Throws Cancelled if the stop that this thread heeds was asked for: for blocks that take long.
void heed();

/// Does the work, heeding the stop; returns whether it was done to the end.
template <class Work>
bool unless_stopped(const std::stop_token& stop, const Work& work) {
    const Heeding heeding(stop);
    try {
        work();
        return true;
    } catch (const Cancelled&) {
        if (!stop.stop_requested()) throw;  // an outer one's
        return false;
    }
}

}  // namespace dunlin::device
