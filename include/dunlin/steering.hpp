// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/types.hpp>

/// Steers runs: options and points can be changed during a run. A log records the acts, and its replay repeats the run.
namespace dunlin::live {

/// set: gives an option a value. pin: holds points at their present or at given places. free: lets them move again.
/// nudge: shifts points and sets their speed to zero. restart: begins the loop again from the present map. finish: ends
/// the loop as after its last iteration. stop: ends it as if cancelled. save: ends it to write the map, then goes on.
enum class Verb { set, pin, free, nudge, restart, finish, stop, save };
constexpr std::array<std::string_view, 8> names(Verb) {
    return {"set", "pin", "free", "nudge", "restart", "finish", "stop", "save"};
}

/// A change to a run, made before an iteration.
struct Act {
    Index pass = 0;        ///< number of the loop over all points, from 0; `restart` begins another one
    Offset iteration = 0;  ///< of this pass
    Verb verb = Verb::set;
    std::string option = {};         ///< set
    double value = 0;                ///< set
    std::vector<Index> points = {};  ///< pin, free, nudge: ascending numbers of the input
    std::vector<float> places = {};  ///< pin: points x dim, or nothing: where they are; nudge: the shift, dim numbers
    friend bool operator==(const Act&, const Act&) = default;
};

/// An option that acts may change at present.
struct SteerableField {
    std::string name, help;
    double value = 0;
    Range range = {};
};

/// Steers a run, and logs the acts. Functions may be called from any thread.
class DUNLIN_API Steering {
public:
    /// replay: acts to repeat, each before its own iteration.
    explicit Steering(std::vector<Act> replay = {});
    ~Steering();
    Steering(const Steering&) = delete;
    Steering& operator=(const Steering&) = delete;
    Steering(Steering&&) = delete;
    Steering& operator=(Steering&&) = delete;

    /// Queues an act for the next iteration. Its pass and iteration are set when it is carried out. Throws
    /// Error{bad_input} if the act does not fit the present loop.
    void act(Act act);
    void pause();
    void resume();
    /// Runs one iteration, then pauses.
    void step();
    /// is_warm: loops of layouts begin at rest, go on after an act, and rest again when they have converged. An act
    /// ends them. With takes_acts false they take only acts of the replay and end after the last of these.
    void keep_warm(bool is_warm, bool takes_acts = true);

    [[nodiscard]] std::vector<Act> log() const;
    /// Number of acts of the replay that are still to be carried out.
    [[nodiscard]] Offset left() const;
    /// The last act that ended a loop; set if there was none.
    [[nodiscard]] Verb ending() const;

    /// The present loop.
    struct Now {
        bool is_open = false;  ///< acts are taken
        bool is_paused = false;
        bool is_resting = false;  ///< a warm loop waits
        Index pass = 0;
        Offset iteration = 0;
        int dim = 2;
        std::vector<SteerableField> fields = {};
        Offset acts = 0;  ///< in the log
    };
    [[nodiscard]] Now now() const;

    /// Internal state, which the loops of the library use.
    class Core;
    [[nodiscard]] Core& state() const { return *state_; }

private:
    std::unique_ptr<Core> state_;
};

/// While an object exists, `steering` steers the loops over this number of points of the methods that this thread
/// calls. Scopes nest.
class DUNLIN_API Steered {
public:
    Steered(Steering& steering, Index points);
    ~Steered();
    Steered(const Steered&) = delete;
    Steered& operator=(const Steered&) = delete;
    Steered(Steered&&) = delete;
    Steered& operator=(Steered&&) = delete;

private:
    friend Steering::Core* steering_of(Index points);
    Steering& steering_;
    Index points_;
    const Steered* outer_;
};

}  // namespace dunlin::live
