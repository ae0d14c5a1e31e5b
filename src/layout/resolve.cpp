#include "layout/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include <dunlin/error.hpp>

#include "layout/low_stress.hpp"

namespace dunlin::layout {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view multilevel_has[] = {"stiffness", "nearness"};
constexpr std::string_view eades_has[] = {"attraction", "charge", "damping", "time-step"};
constexpr std::string_view annealing_has[] = {"attraction", "charge",   "temperature", "cooling",
                                              "cost",       "crossing", "acceptance",  "moves"};
constexpr std::string_view forceatlas2_has[] = {"scaling", "jitter-tolerance", "linlog", "strong-gravity",
                                                "prevent-overlap"};
constexpr std::string_view fruchterman_reingold_has[] = {"area", "c", "temperature", "cooling"};

/// The options that a method has beside those of all methods.
Names options_of(Method method) {
    if (method == Method::multilevel) return multilevel_has;
    if (method == Method::eades) return eades_has;
    if (method == Method::fruchterman_reingold) return fruchterman_reingold_has;
    if (method == Method::forceatlas2) return forceatlas2_has;
    if (method == Method::annealing) return annealing_has;
    return {};
}

bool contains(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

/// Whether some method has this option and not all have.
bool is_special(std::string_view name) {
    for (std::size_t m = 0; m < names(Method{}).size(); ++m) {
        if (contains(options_of(static_cast<Method>(m)), name)) return true;
    }
    return false;
}

template <class T>
bool is_set(const T& value) {
    if constexpr (std::is_same_v<T, bool>) return value;
    return true;
}
template <class T>
bool is_set(const std::optional<T>& value) {
    return value.has_value();
}

void require_known(Options& options) {
    fields(
        [&](std::string_view name, auto& member, std::string_view) {
            if (!is_set(member) || !is_special(name) || contains(options_of(options.method), name)) return;
            throw Error(Fault::bad_input,
                        fmt::format("method {} has no option {}; leave it out, or choose a method that has it",
                                    name_of(options.method), name));
        },
        options);
}

template <class T>
void require(bool holds, std::string_view name, T value, std::string_view must) {
    if (!holds) throw Error(Fault::bad_input, fmt::format("{} is {}; it must be {}", name, value, must));
}

/// A number that is not NaN or infinite, and at least or above nought.
void require_positive(std::string_view name, std::optional<float> value) {
    if (value) require(*value > 0 && std::isfinite(*value), name, *value, "a number above 0");
}
void require_not_negative(std::string_view name, std::optional<float> value) {
    if (value) require(*value >= 0 && std::isfinite(*value), name, *value, "a number, at least 0");
}

void check_ranges(const Options& o) {
    require(o.dim == 2 || o.dim == 3, "dim", o.dim, "2 or 3");
    if (o.iterations) require(*o.iterations >= 0, "iterations", *o.iterations, "at least 0");
    require_positive("length", o.length);
    require_positive("area", o.area);
    require_positive("c", o.c);
    require_positive("stiffness", o.stiffness);
    require_not_negative("nearness", o.nearness);
    require_positive("scaling", o.scaling);
    require_positive("jitter-tolerance", o.jitter_tolerance);
    require_positive("charge", o.charge);
    require_positive("attraction", o.attraction);
    require_positive("time-step", o.time_step);
    require_positive("temperature", o.temperature);
    for (const auto& [name, value] :
         {std::pair{"tolerance", o.tolerance}, {"theta", o.theta}, {"damping", o.damping}}) {
        require_not_negative(name, value);
    }
    require_not_negative("gravity", o.gravity);
    if (o.cooling) require(*o.cooling > 0 && *o.cooling < 1, "cooling", *o.cooling, "above 0 and below 1");
    if (o.theta && o.repulsion != Repulsion::tree && o.repulsion != Repulsion::automatic) {
        throw Error(Fault::bad_input,
                    fmt::format("theta is the tree's, and repulsion is {}; leave one out", name_of(o.repulsion)));
    }
    if (o.repulsion == Repulsion::grid && o.method != Method::multilevel) {
        throw Error(Fault::bad_input,
                    fmt::format("repulsion grid: the law of {} is too steep near nought for a grid; use tree or exact",
                                name_of(o.method)));
    }
}

/// Discs of all sizes push each other one by one.
void check_prevent_overlap(const Options& o) {
    if (!o.prevent_overlap || (o.repulsion != Repulsion::tree && !o.theta)) return;
    throw Error(Fault::bad_input,
                "prevent-overlap: repulsion between borders is exact; leave repulsion tree and theta out");
}

/// What steers forces, which annealing and stress do without.
void refuse_forces(const Options& o) {
    const auto refuse = [&](bool is_set, std::string_view name) {
        if (!is_set) return;
        throw Error(Fault::bad_input, fmt::format("method {} has no option {}; leave it out", name_of(o.method), name));
    };
    refuse(o.tolerance.has_value(), "tolerance");
    refuse(o.theta.has_value(), "theta");
    refuse(o.repulsion != Repulsion::automatic, "repulsion");
    refuse(o.gravity.has_value(), "gravity");
    refuse(o.dim == 3 && o.crossing.value_or(0) > 0, "crossing in 3-D");
}

void check_annealing(const Options& o, Index n) {
    constexpr Index most = 20000;
    require(n <= most, "the number of vertices", n,
            fmt::format("at most {} for annealing; other methods take more", most));
    if (o.crossing) require_not_negative("crossing", o.crossing);
    if (o.moves) require(*o.moves > 0, "moves", *o.moves, "above 0");
}

template <class T>
void settle(std::optional<T>& option, T value) {
    if (!option) option = value;
}

/// The larger a graph, the more a picture shows of its neighbourhoods and the less of single distances.
float nearness_for(Index n) { return std::min(20.0F, 5.5F * std::log10(static_cast<float>(std::max(n, 10)))); }

/// Small graphs can afford more.
void settle_multilevel(Options& o, Index n) {
    settle(o.iterations, std::clamp(static_cast<int>(1500000 / std::max(n, 1)), 50, 150));
    settle(o.tolerance, 1e-3F);
    settle(o.theta, 1.2F);  // its push fades fast
    settle(o.stiffness, 0.03F);
    settle(o.nearness, nearness_for(n));
}

void settle_forceatlas2(Options& o, Index n) {
    settle(o.iterations, 1000);
    settle(o.tolerance, 0.01F);
    settle(o.scaling, n >= 100 ? 2.0F : 10.0F);
    settle(o.jitter_tolerance, 1.0F);
    settle(o.gravity, 1.0F);
}

void settle_eades(Options& o, Index n) {
    settle(o.iterations, 10000);
    settle(o.tolerance, 1e-4F * static_cast<float>(n));
    settle(o.attraction, 2.0F);
    settle(o.charge, 1.0F);
    settle(o.damping, 1.0F);
    settle(o.time_step, 0.1F);
}

/// A tenth of the frame's width, as in the paper.
void settle_fruchterman_reingold(Options& o, Index n) {
    if (o.area || o.c) {
        require(o.length == 1, "length", o.length, "left out where area or c is given: length = c * sqrt(area / n)");
        settle(o.area, static_cast<float>(n));
        settle(o.c, 1.0F);
        if (n > 0) o.length = *o.c * std::sqrt(*o.area / static_cast<float>(n));
    }
    settle(o.iterations, 500);
    settle(o.tolerance, 1e-3F);
    settle(o.temperature, 0.1F * std::max(1.0F, std::pow(static_cast<float>(n), 1.0F / static_cast<float>(o.dim))));
}

/// Of all pairs: as often as 2 billion moves allow.
int stress_iterations(Index n) {
    if (n > all_pairs_up_to) return 100;
    return static_cast<int>(std::clamp(4e9 / std::pow(std::max(n, 1), 2), 30.0, 300.0));
}

void settle_annealing(Options& o) {
    settle(o.iterations, 60);
    settle(o.cost, Cost::energy);
    const bool by_force = *o.cost == Cost::energy;
    settle(o.attraction, by_force ? 2.0F : 1.0F);
    settle(o.charge, 1.0F);
    settle(o.crossing, by_force || o.dim == 3 ? 0.0F : 1.0F);
    settle(o.acceptance, Acceptance::threshold);
    settle(o.cooling, 0.8F);
    settle(o.moves, 30);
}

}  // namespace

Options resolve(Options o, Index n) {
    require_known(o);
    check_ranges(o);
    check_prevent_overlap(o);
    if (o.method == Method::annealing || o.method == Method::stress) refuse_forces(o);
    if (o.method == Method::stress) {
        settle(o.iterations, stress_iterations(n));
        return o;
    }
    if (o.method == Method::annealing) {
        check_annealing(o, n);
        settle_annealing(o);
        return o;
    }
    if (o.method == Method::multilevel) settle_multilevel(o, n);
    settle(o.theta, 0.9F);
    if (o.method == Method::forceatlas2) settle_forceatlas2(o, n);
    if (o.method == Method::eades) settle_eades(o, n);
    settle(o.gravity, 0.0F);
    if (o.method == Method::fruchterman_reingold) settle_fruchterman_reingold(o, n);
    return o;
}

}  // namespace dunlin::layout
