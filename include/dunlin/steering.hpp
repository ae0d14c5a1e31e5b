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

/// Runs that are changed while they go on. What was done is a log, which repeats the run.
namespace dunlin::live {

/// set: an option gets a value. pin: points stay where they are, or at given places; free: they move again. nudge: they
/// are shifted, and their speed is zero. restart: the loop begins again, from the present map. finish: it ends, as
/// after its last iteration; stop: it ends, as if cancelled. save: it ends, to go on from its map once that is written.
enum class Verb { set, pin, free, nudge, restart, finish, stop, save };
constexpr std::array<std::string_view, 8> names(Verb) {
    return {"set", "pin", "free", "nudge", "restart", "finish", "stop", "save"};
}

/// Something that was done to a run before an iteration.
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

/// An option that may change now.
struct SteerableField {
    std::string name, help;
    double value = 0;
    Range range = {};
};

/// Steers a run, and logs the acts. Functions may be called from any thread.
class DUNLIN_API Steering {
public:
    /// replay: what is done again at its iterations.
    explicit Steering(std::vector<Act> replay = {});
    ~Steering();
    Steering(const Steering&) = delete;
    Steering& operator=(const Steering&) = delete;
    Steering(Steering&&) = delete;
    Steering& operator=(Steering&&) = delete;

    /// Does it before the next iteration; pass and iteration are set then. Throws Error{bad_input} for one that does
    /// not fit the present loop.
    void act(Act act);
    void pause();
    void resume();
    /// One iteration, then a pause.
    void step();
    /// Warm: loops of layouts begin at rest, go on after an act, and rest again when they have converged. They end with
    /// an act, or, if they take no others than those of the replay, when these are done.
    void keep_warm(bool is_warm, bool takes_acts = true);

    [[nodiscard]] std::vector<Act> log() const;
    /// How many acts of the replay have not been done.
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

/// While it lives, the methods that this thread calls are steered where they have loops over so many points. Scopes
/// nest.
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
