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
    /// Called before iteration t. Returns whether the iteration can begin at once because no act or pause is pending.
    bool passes(Offset t) {
        iteration_.store(t, std::memory_order_relaxed);
        return !has_news_ && t < next_replay_;
    }
    /// Takes the next act that is due before iteration t and appends it to the log.
    std::optional<Act> take(Offset t);
    /// Whether the loop must wait. If it may go on during a pause, uses up one of the granted steps.
    bool waits(Offset t);
    /// Waits until an act is pending, the pause ends or a step is granted, for at most 50 ms.
    void wait(const std::stop_token& stop);
    void rest(bool is_resting);
    [[nodiscard]] bool is_warm() const;
    /// Whether any act did more than set an option.
    [[nodiscard]] bool is_changed_by_acts() const;
    /// Whether a loop that has ended with iteration t waits for acts.
    [[nodiscard]] bool stays(Offset t) const;

    /// Replaces the log by the acts of a checkpoint. Acts of the replay that are among them are not done again.
    void restore(std::vector<Act> log);
    [[nodiscard]] std::vector<Act> log() const;
    /// Acts that reproduce the present state: they set the options that were set, pin the points that are pinned at
    /// their places, and free the other points that were acted on.
    [[nodiscard]] std::vector<Act> standing() const;

private:
    friend class Steering;
    [[noreturn]] static void refuse(const Act& act, const std::string& why);
    void refuse_unfit(const Act& act) const;
    /// Stores the value of an act that sets an option in the field of the option.
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

/// The steering of loops of this thread over this number of points. Null: they are not steered.
Steering::Core* steering_of(Index points);

/// Whether acts on maps of this number of points did more than set options.
bool is_changed_by_acts(Index points);

/// Whether loops of this thread over this number of points rest before their first iteration.
bool begins_at_rest(Index points);

/// While an object exists, loops of this thread are neither watched nor steered. For calls that make several maps at a
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
