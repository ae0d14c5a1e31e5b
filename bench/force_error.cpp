// SPDX-License-Identifier: Apache-2.0
// Error of the fast repulsive forces on a given map.
//
//   bench_force_error MAP auto|exact|tree|grid [THETA or SPACING]   runs an engine of ours; auto: as t-SNE picks it
//   bench_force_error MAP given FORCES.npy MASS                judges forces that another program computed
//
// Prints one line of JSON. `median`, `p99` and `max` are over points of |F - E| / |E|, where F is the force of the
// engine and E the same sum in double over all pairs; with more points than 5,000, E is taken at
// evenly spaced rows. `mass_error` is the relative error of the normalizer, null where n^2 pairs would take too long.
// Forces are not divided by the normalizer, so that its error is separate.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <dunlin/io.hpp>
#include <nlohmann/json.hpp>

#include "cases/maps.hpp"
#include "cases/repulsion.hpp"
#include "descent/repeller.hpp"
#include "device/cpu.hpp"
#include "tsne/descend.hpp"
#include "tsne/resolve.hpp"

namespace {

using namespace dunlin;

constexpr Index largest_exact_mass = 100000;
constexpr int timed_calls = 5;

struct Field {
    std::vector<float> force;  // n x dim
    double mass = 0;
    double seconds = 0;  // median of a call
};

// Forces to evaluate

Field timed(Offset values, const std::function<void(Field&)>& call) {
    Field field;
    field.force.resize(static_cast<std::size_t>(values));
    call(field);  // the first call plans and allocates
    std::vector<double> seconds;
    for (int run = 0; run < timed_calls; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        call(field);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    field.seconds = seconds[timed_calls / 2];
    return field;
}

Field of_engine(device::Cpu& cpu, MatrixView<const float> y, tsne::Repulsion engine, const char* parameter) {
    tsne::Options options;
    options.repulsion = engine;
    if (parameter && engine == tsne::Repulsion::tree) options.theta = std::strtof(parameter, nullptr);
    if (parameter && engine == tsne::Repulsion::grid) options.spacing = std::strtof(parameter, nullptr);
    options.dim = y.cols;
    descent::Repeller<forces::StudentT> repeller(
        tsne::repulsion_of(tsne::resolve_descent(options, y.rows, Device::cpu)));
    repeller.choose(cpu, y);
    return timed(y.size(), [&](Field& field) {
        device::Cell<double> mass;
        repeller.repel(cpu, y, {field.force.data(), y.rows, y.cols}, mass);
        field.mass = mass.value;
    });
}

Field given(MatrixView<const float> y, const std::string& path, const char* mass) {
    Map forces = io::read_map(path).map;
    if (forces.size() != y.rows || forces.dim != y.cols)
        throw std::invalid_argument(path + " has another shape than the map");
    return {std::move(forces.coordinates), std::strtod(mass, nullptr), 0};
}

// Errors

nlohmann::json judge(device::Cpu& cpu, MatrixView<const float> y, const Field& field) {
    const std::vector<double> errors = repulsion::sampled_errors(cpu, y, field.force);
    nlohmann::json verdict = {{"n", y.rows},
                              {"dim", y.cols},
                              {"span", made::width_of(y)},
                              {"rows", errors.size()},
                              {"median", repulsion::quantile(errors, 0.5)},
                              {"p99", repulsion::quantile(errors, 0.99)},
                              {"max", errors.back()},
                              {"mass", field.mass},
                              {"mass_error", nullptr},
                              {"seconds_per_call", field.seconds},
                              {"threads", cpu.threads()}};
    if (y.rows <= largest_exact_mass) {
        const double truth = repulsion::normalizer(cpu, y);
        verdict["mass_error"] = std::abs(field.mass - truth) / truth;
    }
    return verdict;
}

int judge_map(int count, char** words) {
    if (count < 3) {
        fmt::print(stderr,
                   "use: bench_force_error MAP auto|exact|tree|grid [THETA or SPACING]\n"
                   "     bench_force_error MAP given FORCES.npy MASS\n");
        return 2;
    }
    const std::string name = words[2];
    if (name == "given" && count < 5)
        throw std::invalid_argument("given: a file of forces and the normalizer are needed");
    const Map map = io::read_map(words[1]).map;
    const MatrixView<const float> y = map.view();
    if (y.rows < 2) throw std::invalid_argument("the map needs two points or more");
    auto engine = value_named<tsne::Repulsion>(name);
    if (!engine && name != "given") throw std::invalid_argument("there is no engine " + name);
    if (engine == tsne::Repulsion::automatic)
        engine = descent::quickest(y.rows, static_cast<float>(made::width_of(y)), y.cols,
                                   forces::Grid<forces::StudentT>::default_spacing(y.cols));
    device::Cpu cpu;
    const Field field =
        engine ? of_engine(cpu, y, *engine, count > 3 ? words[3] : nullptr) : given(y, words[3], words[4]);
    nlohmann::json verdict = judge(cpu, y, field);
    verdict["engine"] = engine ? std::string(name_of(*engine)) : "given";
    fmt::print("{}\n", verdict.dump());
    return 0;
}

}  // namespace

int bench_main(int count, char** words) { return judge_map(count, words); }
