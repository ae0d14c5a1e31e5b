// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dunlin/steering.hpp>

#include "live/steering_core.hpp"

/// Steering, as loops see it: a SteeredLoop for each loop over all points.
namespace dunlin::live {

/// The next action of a loop.
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

/// Whether an act changes coordinates.
inline bool moves_points(const Act& act) {
    return (act.verb == Verb::pin || act.verb == Verb::nudge) && !act.places.empty();
}

/// Coordinate `axis` of the i-th point of an act that moves points; it was `before`. axes: of the map.
inline float place_after(const Act& act, std::size_t i, std::size_t axis, std::size_t axes, float before) {
    return act.verb == Verb::nudge ? before + act.places[axis] : act.places[i * axes + axis];
}

/// One loop that is steered. Without steering it does nothing.
class SteeredLoop {
public:
    using Apply = std::function<void(const Act&)>;
    using Show = std::function<bool()>;

    /// apply(act) carries out set, pin, free and nudge. show() shows the map, as Loop::show. farthest: largest
    /// magnitude of a coordinate in an act.
    SteeredLoop(Index points, int dim, std::vector<SteerableField> fields, std::stop_token stop, Apply apply, Show show,
                float farthest = std::numeric_limits<float>::max());
    ~SteeredLoop();
    SteeredLoop(const SteeredLoop&) = delete;
    SteeredLoop& operator=(const SteeredLoop&) = delete;
    SteeredLoop(SteeredLoop&&) = delete;
    SteeredLoop& operator=(SteeredLoop&&) = delete;

    /// Call before iteration t, which is 0 again after `restart`. Carries out the acts that are due and waits during a
    /// pause.
    Course before(Offset t) { return state_ == nullptr || state_->passes(t) ? Course::go_on : attend(t); }
    /// Whether the loop is to rest before its first iteration.
    [[nodiscard]] bool begins_at_rest() const { return state_ != nullptr && state_->is_warm(); }
    /// Call when the loop has ended with iteration t. Returns finish, unless the loop is warm: it then waits for an act
    /// after which the loop goes on.
    Course rest(Offset t);

    /// write() and read() the log in a checkpoint. Call read() after the state of the loop was read: it sets options
    /// and pins points again.
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
            archive.require(acts.back().verb <= Verb::save && acts_on(acts.back().points, points_), "steering");
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
    static bool acts_on(const std::vector<Index>& points, Index count) {
        return std::all_of(points.begin(), points.end(), [&](Index point) { return point >= 0 && point < count; });
    }
    void apply_standing();
    void restore(std::vector<Act> acts);

    Steering::Core* state_;
    Index points_;
    std::stop_token stop_;
    Apply apply_;
    Show show_;
    bool has_acted_ = false, is_shown_ = false;
};

}  // namespace dunlin::live
