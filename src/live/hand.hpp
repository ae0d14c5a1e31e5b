// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dunlin/steering.hpp>

#include "live/loop.hpp"

/// Steering, as loops see it: a Hand for each loop over all points.
namespace dunlin::live {

class Steering::Core {
public:
    explicit Core(std::vector<Act> replay) : replay_(std::move(replay)) {}

    // Of the loop

    /// Returns its number.
    Index begin_pass(Index points, int dim, std::vector<SteerableField> fields);
    void end_pass();
    /// `restart`: the same loop.
    void begin_again();
    /// Nothing is to be done before iteration t.
    [[nodiscard]] bool is_calm(Offset t) const { return !has_news_ && t < next_replay_; }
    /// The next act before iteration t, which is in the log then.
    std::optional<Act> take(Offset t);
    /// Whether the loop has to wait; a step is taken from those that are granted.
    bool waits(Offset t);
    /// Until there is news, for at most 50 ms.
    void wait(const std::stop_token& stop);
    void rest(bool is_resting);
    [[nodiscard]] bool is_warm() const;
    /// Whether a point was moved or pinned, or the run ended, by hand.
    [[nodiscard]] bool has_bent() const;
    /// Whether a loop that has ended waits for acts.
    [[nodiscard]] bool stays(Offset t) const;

    /// The acts of a checkpoint replace the log; those of the replay that are among them are not done again.
    void restore(std::vector<Act> log);
    [[nodiscard]] std::vector<Act> log() const;
    /// Acts that set what is set, and pin what is pinned, where it is.
    [[nodiscard]] std::vector<Act> standing() const;

private:
    friend class Steering;
    void refuse_unfit(const Act& act) const;
    void find_replay();
    void update_news() { has_news_ = !pending_.empty() || is_paused_; }

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<Act> replay_, log_, pending_;
    std::size_t replayed_ = 0;
    bool is_open_ = false, is_paused_ = false, is_resting_ = false, is_warm_ = false, has_hands_ = false;
    int steps_ = 0;
    Index pass_ = -1, points_ = 0;
    Offset iteration_ = 0;
    int dim_ = 2;
    std::vector<SteerableField> fields_;
    Verb ending_ = Verb::set;
    std::atomic<bool> has_news_ = false;
    std::atomic<Offset> next_replay_ = 0;  ///< iteration of this pass
};

/// Steering of this thread's loops over so many points; null: there is none.
Steering::Core* steering_of(Index points);

/// Whether hands have done more to maps of so many points than to set options.
bool has_bent(Index points);

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

/// How a loop goes on.
enum class Course { go_on, restart, finish, stop };

/// The fields of options that may change and that the method reads.
template <class Options>
std::vector<SteerableField> steerable_fields(Options options) {
    std::vector<SteerableField> found;
    fields(
        [&](const auto& field) {
            using T = std::remove_cvref_t<decltype(field.value)>;
            if constexpr (std::is_floating_point_v<ValueOf<T>>) {
                if (!field.steerable || !field.is_read()) return;
                double value = 0;
                if constexpr (is_optional<T>) {
                    if (!field.value) return;
                    value = static_cast<double>(*field.value);
                } else {
                    value = static_cast<double>(field.value);
                }
                found.push_back({std::string(field.name), std::string(field.help), value, field.range});
            }
        },
        options);
    return found;
}

/// Sets the option of an act.
template <class Options>
void set_option(Options& options, const Act& act) {
    fields(
        [&](const auto& field) {
            using T = std::remove_cvref_t<decltype(field.value)>;
            if constexpr (std::is_floating_point_v<ValueOf<T>>) {
                if (field.steerable && field.name == act.option) field.value = static_cast<ValueOf<T>>(act.value);
            }
        },
        options);
}

/// The hands on one loop. Without steering it does nothing.
class Hand {
public:
    using Apply = std::function<void(const Act&)>;
    using Show = std::function<bool()>;

    /// apply(act) does set, pin, free and nudge. show() shows the map, as Loop::show.
    Hand(Index points, int dim, std::vector<SteerableField> fields, std::stop_token stop, Apply apply, Show show);
    ~Hand();
    Hand(const Hand&) = delete;
    Hand& operator=(const Hand&) = delete;
    Hand(Hand&&) = delete;
    Hand& operator=(Hand&&) = delete;

    /// Before iteration t, which `restart` makes 0: does what is due, and waits during a pause.
    Course before(Offset t) { return state_ == nullptr || state_->is_calm(t) ? Course::go_on : attend(t); }
    /// Whether the loop is to rest before its first iteration.
    [[nodiscard]] bool begins_at_rest() const { return state_ != nullptr && state_->is_warm(); }
    /// The loop has ended with iteration t: finish, unless it is warm; then waits for an act after which it goes on.
    Course rest(Offset t);

    /// The log, for a checkpoint. After reading, the options and pins of the loop are set again; the points are where
    /// they were.
    template <class Archive>
    void write(Archive& archive) const {
        std::vector<Act> acts = state_ != nullptr ? state_->log() : std::vector<Act>{};
        archive(static_cast<std::uint64_t>(acts.size()));
        for (Act& act : acts) content(archive, act);
    }
    template <class Archive>
    void read(Archive& archive) {
        std::uint64_t count = 0;
        archive(count);
        std::vector<Act> acts;
        for (std::uint64_t i = 0; i < count; ++i) {
            content(archive, acts.emplace_back());
            archive.require(acts.back().verb <= Verb::save, "steering");
        }
        if (state_ == nullptr && !acts.empty())
            archive.fail("it is of a steered run, which goes on only if it can be steered");
        if (state_ != nullptr) restore(std::move(acts));
    }

private:
    template <class Archive>
    static void content(Archive& archive, Act& act) {
        archive(act.pass), archive(act.iteration), archive(act.verb), archive(act.option), archive(act.value);
        archive(act.points), archive(act.places);
    }
    Course attend(Offset t);
    void wait();
    void restore(std::vector<Act> acts);

    Steering::Core* state_;
    Index first_pass_ = 0;  ///< of this loop
    std::stop_token stop_;
    Apply apply_;
    Show show_;
    bool has_acted_ = false, is_shown_ = false;
};

}  // namespace dunlin::live
