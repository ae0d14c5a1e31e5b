// SPDX-License-Identifier: Apache-2.0
#include "waves/cuda/engine.cuh"

#include <algorithm>
#include <cmath>
#include <utility>

#include "device/memory.hpp"
#include "device/ranks.cuh"
#include "math/at.hpp"
#include "waves/cuda.hpp"
#include "waves/drive.hpp"
#include "waves/law.hpp"
#include "waves/rows.hpp"
#include "waves/share_vertices.hpp"

namespace dunlin::waves {

using device::Cuda;

namespace {

/// Rows are sorted by length within this many: few entries of padding, and vertices stay near.
constexpr int slice_window = 256;

}  // namespace

CudaEngine::CudaEngine(Cuda& cuda, const Problem& problem, State start) : cuda_(cuda), problem_(problem) {
    const Domain& domain = problem.domain;
    side_.coefficients = problem.coefficients;
    if (domain.graph != nullptr) {
        upload(*domain.graph);
        cuda.upload(inverse_degree_, problem.inverse_degree);
        side_.domain.inverse_degree = inverse_degree_.data();
    } else {
        side_.domain.axes = axes_of(domain);
        for (int a = 0; a < 3; ++a) {
            side_.domain.nodes[a] = domain.nodes[at(a)];
            side_.domain.periodic[a] = domain.periodic[at(a)];
        }
    }
    cuda.upload(current_, problem.current);
    cuda.upload(stimuli_, problem.stimuli);
    side_.current = current_.data();
    cuda.upload(now_.v, start.v);
    cuda.upload(now_.w, start.w);
    cuda.upload(activation_, start.activation);
    std::vector<DeviceValues*> others{&next_, &rate_};
    if (problem.options.scheme == Scheme::heun || problem.options.scheme == Scheme::rkc) others.push_back(&first_);
    if (problem.options.scheme == Scheme::rkc) others.insert(others.end(), {&last_, &before_});
    for (DeviceValues* values : others) {
        cuda.resize(values->v, start.v.size());
        cuda.resize(values->w, start.w.size());
    }
}

void CudaEngine::upload(const Graph& graph) {
    const device::Slice own = problem_.own();
    Slices slices(graph, slice_window, static_cast<int>(own.begin), static_cast<int>(own.end));
    device::require_memory(cuda_.run(), static_cast<std::uint64_t>(slices.stored) * (sizeof(Index) + sizeof(float)),
                           "the graph in slices", "use fewer edges");
    slices.fill(graph, [] { progress::cancellation_point(); });
    cuda_.upload(slices_.vertices, slices.vertices);
    cuda_.upload(slices_.degrees, slices.degrees);
    cuda_.upload(slices_.begins, slices.begins);
    cuda_.upload(slices_.targets, slices.targets);
    cuda_.upload(slices_.weights, slices.weights);
    cuda_.resize(slices_.hub_sums.v, at(slices.hubs));
    cuda_.resize(slices_.hub_sums.w, at(slices.hubs));
    side_.domain.graph = {slices.rows,
                          slices.hubs,
                          slices_.vertices.data(),
                          slices_.degrees.data(),
                          slices_.begins.data(),
                          slices_.targets.data(),
                          slices_.weights.data(),
                          slices_.hub_sums.pair()};
}

double* CudaEngine::watched(const DeviceValues& values) const {
    return problem_.watches_recovery() ? values.w.data() : values.v.data();
}

void CudaEngine::hold(double t, const DeviceValues& values, bool is_zero) {
    const auto count = static_cast<Offset>(problem_.stimuli.size());
    cuda_.each(count, Hold{stimuli_.data(), count, t, watched(values), is_zero});
}

/// Calls visit(species) for each that the model has.
template <class Visit>
void CudaEngine::each_species(const Visit& visit) {
    visit(&DeviceValues::v);
    if (problem_.recovers()) visit(&DeviceValues::w);
}

/// Runs a loop over all nodes that are computed here.
template <class Loop>
void CudaEngine::each_node(const Loop& loop) {
    const device::Slice nodes = computed();
    cuda_.each(nodes.size(), FromNode<Loop>{nodes.begin, loop});
}

/// Gives the values to the other ranks, if there are any.
void CudaEngine::share(DeviceValues& values) { share_vertices(cuda_, problem_, values.v.data(), values.w.data()); }

/// Runs the loop that loop_of.template operator()<Law, is_graph>() returns over the rows of all nodes, whose neighbors
/// have these values.
template <class Loop>
void CudaEngine::each_row(const Pair& values, const Loop& loop_of) {
    with_law(problem_, [&]<class Law>() {
        const Offset rows = computed().size();
        if (problem_.domain.graph == nullptr) return cuda_.each(rows, loop_of.template operator()<Law, false>());
        const SlicedGraph& graph = side_.domain.graph;
        if (graph.hubs > 0) {
            add_hubs<Law::spreads><<<static_cast<unsigned>(graph.hubs), 256, 0, cuda_.stream()>>>(graph, values);
            device::cuda_check(cudaGetLastError());
        }
        cuda_.each(rows, loop_of.template operator()<Law, true>());
    });
}

void CudaEngine::find_rates(const DeviceValues& values, DeviceValues& rates) {
    each_row(values.pair(),
             [&]<class Law, bool is_graph>() { return FindRates<Law, is_graph>{side_, values.pair(), rates.pair()}; });
    ++evaluations_;
}

void CudaEngine::take_euler(Offset number, double dt, const DeviceValues& from, DeviceValues& to,
                            const Activations& activations) {
    const EulerStep step{dt, problem_.noise * std::sqrt(dt), problem_.seed, problem_.numbers, number, activations};
    each_row(from.pair(),
             [&]<class Law, bool is_graph>() { return TakeEuler<Law, is_graph>{side_, step, from.pair(), to.pair()}; });
    hold(time_of(dt, number + 1), to);
    share(to);
    ++evaluations_;
}

void CudaEngine::take_heun(Offset number, double dt) {
    take_euler(number, dt, now_, first_);
    each_row(first_.pair(), [&]<class Law, bool is_graph>() {
        return TakeHeun<Law, is_graph>{side_, dt, now_.pair(), first_.pair(), next_.pair()};
    });
    hold(time_of(dt, number + 1), next_);
    share(next_);
    ++evaluations_;
}

void CudaEngine::take_chebyshev(Offset number, double dt) {
    const int s = chebyshev_count(dt * problem_.stiffness);
    if (std::ssize(stages_) != s) stages_ = chebyshev_stages(s);
    find_rates(now_, first_);
    for (std::size_t j = 0; j < stages_.size(); ++j) {
        if (j > 0) find_rates(next_, rate_);
        const DeviceValues& rates = j > 0 ? rate_ : first_;
        each_species([&](auto species) {
            each_node(TakeStage{stages_[j], dt, j == 0, (now_.*species).data(), (rates.*species).data(),
                                (first_.*species).data(), (last_.*species).data(), (before_.*species).data(),
                                (next_.*species).data()});
        });
        std::swap(last_, before_);
        hold(time_of(dt, number + 1), next_);
        share(next_);
    }
}

void CudaEngine::take(Offset number, double dt) {
    const Activations activations{*problem_.options.level, nullptr, activation_.data(), number};
    const bool is_euler = problem_.options.scheme == Scheme::euler;
    if (is_euler && is_free(time_of(dt, number), time_of(dt, number + 1))) {
        take_euler(number, dt, now_, next_, activations);
        return std::swap(now_, next_);
    }
    if (problem_.options.scheme == Scheme::crank_nicolson) {
        take_implicit(number, dt, activations);
        return std::swap(now_, next_);
    }
    switch (problem_.options.scheme) {
        case Scheme::euler:
            take_euler(number, dt, now_, next_);
            break;
        case Scheme::rkc:
            take_chebyshev(number, dt);
            break;
        default:
            take_heun(number, dt);
    }
    each_node(Activate{activations, dt, watched(now_), watched(next_)});
    std::swap(now_, next_);
}

void CudaEngine::advance(Offset first, Offset steps, double dt) {
    for (Offset k = first; k < first + steps;) {
        progress::cancellation_point();
        Offset done = advance_tiles(k, first + steps - k, dt);
        if (done == 0) take(k, dt), done = 1;
        completed_ = k += done;
        // the queue stays short, so that a stop is noticed: a node takes at most some 0.1 ns a step
        constexpr Offset most_queued = Offset{1} << 29;
        queued_ += done * size();
        if (queued_ > most_queued) cuda_.wait(), queued_ = 0;
    }
    if (problem_.options.scheme == Scheme::crank_nicolson) count_newton(dt);
}

double CudaEngine::fastest(double t) {
    find_rates(now_, rate_);
    --evaluations_;
    hold(t, rate_, true);
    cuda_.set(largest_, 0ULL);
    const device::Slice own = problem_.own();
    cuda_.each(own.size(), FromNode<FindLargest>{own.begin, {rate_.pair(), cuda_.address(largest_)}});
    return __builtin_bit_cast(double, cuda_.read(largest_));
}

State CudaEngine::state() const { return {cuda_.host(now_.v), cuda_.host(now_.w), activation()}; }

void CudaEngine::write(checkpoint::ArchiveWriter& archive, double time) {
    if (problem_.options.scheme == Scheme::crank_nicolson) count_newton(*problem_.options.step);
    archive(cuda_.host(now_.v)), archive(cuda_.host(now_.w)), write_times(archive, activation(), time);
    archive(completed_), archive(evaluations_);
}

void CudaEngine::read(checkpoint::ArchiveReader& archive) {
    for (auto* values : {&now_.v, &now_.w, &activation_}) {
        std::vector<double> of_nodes(values->size());
        values == &activation_ ? read_times(archive, of_nodes) : read_values(archive, of_nodes);
        cuda_.upload(*values, of_nodes);
    }
    read_count(archive, completed_), read_count(archive, evaluations_);
    counted_ = completed_;
}

void backend::run_on_cuda(const Problem& problem, State start, const Given& given, const Run& run, Result& result) {
    Cuda cuda(run);
    CudaEngine engine(cuda, problem, std::move(start));
    drive(engine, problem, given, run, result);
    if (problem.options.scheme == Scheme::crank_nicolson) engine.count_newton(*problem.options.step);
    collect(std::move(engine), result);
    if (problem.options.scheme == Scheme::crank_nicolson) result.newton = result.evaluations;
}

}  // namespace dunlin::waves
