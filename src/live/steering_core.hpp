// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include <dunlin/steering.hpp>

#include "live/loop.hpp"

/// State shared by a run and the threads that steer it.
namespace dunlin::live {

class Steering::Core {
public:
    explicit Core(std::vector<Act> replay) : replay_(std::move(replay)) {}

    // Called by the loop

    /// farthest: largest coordinate of an act
    void begin_pass(Index points, int dim, std::vector<SteerableField> fields, float farthest);
    void end_pass();
    /// `restart`: the same loop.
    void begin_again();
    /// The loop is before iteration t. Returns whether this begins at once, because nothing is to be done.
    bool passes(Offset t) {
        iteration_.store(t, std::memory_order_relaxed);
        return !has_news_ && t < next_replay_;
    }
    /// The next act before iteration t, which is in the log then.
    std::optional<Act> take(Offset t);
    /// Whether the loop has to wait; a step is taken from those that are granted.
    bool waits(Offset t);
    /// Until there is news, for at most 50 ms.
    void wait(const std::stop_token& stop);
    void rest(bool is_resting);
    [[nodiscard]] bool is_warm() const;
    /// Whether an act did more than set an option.
    [[nodiscard]] bool is_changed_by_acts() const;
    /// Whether a loop that has ended waits for acts.
    [[nodiscard]] bool stays(Offset t) const;

    /// The acts of a checkpoint replace the log; those of the replay that are among them are not done again.
    void restore(std::vector<Act> log);
    [[nodiscard]] std::vector<Act> log() const;
    /// Acts that set what is set, pin what is pinned, where it is, and free the other points that were acted on.
    [[nodiscard]] std::vector<Act> standing() const;

private:
    friend class Steering;
    [[noreturn]] static void refuse(const Act& act, const std::string& why);
    void refuse_unfit(const Act& act) const;
    /// An act that sets an option changes the value of its field.
    void note_value(const Act& act);
    void find_replay();
    void update_news() { has_news_ = !pending_.empty() || is_paused_; }

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<Act> replay_, log_, pending_;
    std::size_t replayed_ = 0;
    bool is_open_ = false, is_paused_ = false, is_resting_ = false, is_warm_ = false, takes_acts_ = false;
    int steps_ = 0;
    Index pass_ = -1, points_ = 0;
    int dim_ = 2;
    float farthest_ = 0;
    std::vector<SteerableField> fields_;
    Verb ending_ = Verb::set;
    std::atomic<Offset> iteration_ = 0;
    std::atomic<bool> has_news_ = false;
    std::atomic<Offset> next_replay_ = 0;  ///< iteration of this pass
};

/// Steering of this thread's loops over so many points; null: there is none.
Steering::Core* steering_of(Index points);

/// Whether acts have done more to maps of so many points than to set options.
bool is_changed_by_acts(Index points);

/// Whether loops of this thread over so many points rest before their first iteration.
bool begins_at_rest(Index points);

/// During its lifetime, loops of this thread are neither seen nor steered: for some of several maps that are made at a
/// time.
class Alone {
public:
    Alone();
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    Alone(Alone&&) = delete;
    Alone& operator=(Alone&&) = delete;

private:
    Unseen unseen_;
    const Steered* outer_;
};

}  // namespace dunlin::live
