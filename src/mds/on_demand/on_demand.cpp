// SPDX-License-Identifier: Apache-2.0
#include "mds/on_demand/on_demand.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/mapped.hpp"
#include "device/memory.hpp"
#include "device/pieces.hpp"
#include "math/permutation.hpp"
#include "mds/on_demand/landmark_rows.hpp"
#include "mds/resolve.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mds {

namespace {

bool needs_all(const Options& o, Index n) {
    if (o.method == Method::dunlin) return *o.landmarks >= n;
    return o.method != Method::landmark && o.method != Method::pivot;
}

[[noreturn]] void refuse_budget(const Options& o, const std::string& wants) {
    throw Error(Fault::bad_input, fmt::format("distances is too small: method {} {}; allow more, or leave it out",
                                              name_of(o.method), wants));
}

/// The matrix, mapped from its file and checked, for a method that reads all of it.
Dissimilarities mapped_matrix(const Matrix& matrix, Method method, const Run& run) {
    using device::Reading;
    device::expect(matrix.view(), Reading::in_order);
    auto items = Dissimilarities::of_matrix(matrix, run);
    const bool by_rows = method == Method::smacof || method == Method::classical;
    if (!by_rows) device::expect(matrix.view(), Reading::here_and_there);
    return items;
}

/// All rows: as a matrix in memory, or mapped if they are in a file.
Dissimilarities all_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source, const Options& o,
                         const Run& run) {
    const Index n = items.size();
    Run unlimited = run;
    unlimited.memory = std::numeric_limits<std::uint64_t>::max();
    OnDemandRows& on_demand = *items.on_demand();
    if (std::ssize(on_demand.known_rows()) + on_demand.rows_within(1) < n)
        refuse_budget(o, fmt::format("needs all {} distances", Offset{n} * (n - 1) / 2));
    if (items.values().rows() > 0) {
        Dissimilarities mapped = mapped_matrix(items.values(), o.method, unlimited);
        on_demand.note_all_read();
        return mapped;
    }
    device::require_memory(run, static_cast<std::uint64_t>(Offset{n} * n) * 2 * sizeof(float),
                           "a matrix of all distances");
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    source.request(cpu, rows, run);
    std::vector<float> values;
    device::assign_in_pieces(values, static_cast<std::size_t>(Offset{n} * n));
    device::in_pieces(rows.size(), 16, [&](std::size_t begin, std::size_t end) {
        source.tile(std::span(rows).subspan(begin, end - begin), 0, n, values.data() + begin * rows.size(), n);
    });
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(values)), unlimited);
}

/// The map after a cancellation: landmark scaling of the known rows; all zeros if there are none or pairs are missing.
Map map_of_known_rows(device::Cpu& cpu, const Source& source, const OnDemandRows& on_demand, int dim, const Run& run) {
    if (on_demand.known_rows().empty() || !is_complete(on_demand))
        return {dim, std::vector<float>(static_cast<std::size_t>(Offset{on_demand.size()} * dim), 0.0F)};
    return {dim, landmark(cpu, source, dim, on_demand.known_rows(), run)};
}

/// The number of landmarks that the budget allows.
Index affordable_landmarks(const OnDemandRows& on_demand, const Options& o) {
    const auto known = static_cast<Index>(on_demand.known_rows().size());
    const Index most = known + on_demand.rows_within(method_share_of_budget);
    const Index least = std::min(o.dim + 1, *o.landmarks);
    if (most < least) {
        const Offset wanted = Offset{on_demand.size()} * least * 8 / 7;
        refuse_budget(o, fmt::format("compares {} items with all others, which takes about {}", least, wanted));
    }
    return std::min(*o.landmarks, most);
}

/// True if an initialized GPU is faster: it also places the landmarks, which are a small matrix.
bool is_faster_on_gpu(const Options& o, Index n, const Run& run) {
    constexpr Index enough = 500;
    return o.method == Method::dunlin && n >= enough && fits_on_gpu(bytes_of_rows(o, n), run);
}

void refuse_given(const Given& given) {
    const auto refuse = [](std::string_view what) {
        throw Error(Fault::bad_input, fmt::format("{}; with landmarks only, it would be ignored: method "
                                                  "smacof uses all pairs",
                                                  what));
    };
    if (given.start != nullptr || given.fixed != nullptr) refuse("a map is given to begin with");
    if (given.weights != nullptr) refuse("weights are given");
}

/// Scaling from the rows of landmarks, as many as the budget allows. tolerance: as the caller gave it.
void place_by_rows_in_budget(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                             std::optional<double> tolerance, const Run& run, Result& result) {
    const OnDemandRows& on_demand = *items.on_demand();
    Options& o = result.options;
    const Index wanted = *o.landmarks;
    o.landmarks = affordable_landmarks(on_demand, o);
    device::require_memory(run, bytes_of_rows(o, items.size()), "multidimensional scaling by these landmarks");
    const OnDemandInput input{cpu, source, on_demand, o, tolerance, run};
    ScalingOutput placed =
        result.device == Device::cuda ? place_by_landmark_rows_on_cuda(input) : place_by_landmark_rows(cpu, input);
    result.map = std::move(placed.map);
    result.iterations = placed.ending.iterations;
    result.stopped = placed.ending.stopped;
    result.seconds = placed.seconds;
    if (*o.landmarks < wanted && result.stopped != Stopped::cancelled) result.stopped = Stopped::budget;
}

/// Completes the result. A caller's distances may differ between runs; those of a graph do not.
Result completed(Result result, const Dissimilarities& items, const Run& run) {
    const Device device = result.device;
    device::complete(result, device, run);
    if (items.by_callback() && result.varies_because.empty()) result.varies_because = "its distances are the caller's";
    return result;
}

}  // namespace

std::vector<Index> random_items(Index n, Index count, std::uint64_t seed) {
    const auto shuffle = math::Permutation::of(n, seed, ~std::uint64_t{0});
    std::vector<Index> items(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) items[static_cast<std::size_t>(i)] = shuffle(i);
    return items;
}

bool is_complete(const OnDemandRows& on_demand) {
    return std::all_of(on_demand.known_rows().begin(), on_demand.known_rows().end(), [&](Index item) {
        return std::none_of(on_demand.row(item), on_demand.row(item) + on_demand.size(),
                            [](float d) { return std::isnan(d); });
    });
}

void require_complete(const OnDemandRows& on_demand, Method method) {
    if (is_complete(on_demand)) return;
    throw Error(Fault::bad_input,
                fmt::format("pairs are missing; method {} needs all of them, dunlin does not", name_of(method)));
}

Device device_on_demand(const Dissimilarities& items, const Options& options, const Run& run) {
    return device::choose(run, is_faster_on_gpu(options, items.size(), run),
                          {.what = "scaling of distances on demand runs"});
}

Result place_on_demand(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    if (items.missing() > 0) return place_components(items, wanted, run, given);
    Result result;
    result.options = resolve(items, wanted, given);
    const Options& o = result.options;
    result.device = device_on_demand(items, o, run);
    device::reset_cuda_peak_memory();
    device::Cpu cpu(run);
    result.threads = cpu.threads();
    result.map.dim = o.dim;
    result.stopped = Stopped::converged;
    if (items.size() == 0) return completed(std::move(result), items, run);

    const Source source(cpu, items);
    const OnDemandRows& on_demand = *items.on_demand();
    try {
        if (needs_all(o, items.size()) && (o.method != Method::dunlin || !on_demand.is_limited())) {
            Options all = wanted;
            all.landmarks.reset();
            const bool mapped = items.values().rows() > 0;
            PairReads* const reads = mapped ? &items.on_demand()->reads() : nullptr;
            Result placed = place_part(all_rows(cpu, items, source, o, run), all, run, given, reads);
            if (mapped && placed.device == Device::cuda)  // copied once
                reads->add(Offset{items.size()} * (items.size() - 1) / 2);
            return completed(std::move(placed), items, run);
        }
        refuse_given(given);
        place_by_rows_in_budget(cpu, items, source, wanted.tolerance, run, result);
    } catch (const progress::Cancelled&) {
        result.map = map_of_known_rows(cpu, source, on_demand, o.dim, run);
        align(result.map);
        result.stopped = Stopped::cancelled;
    }
    result.engines = {{"map", name_of(o.method), 0}};
    return completed(std::move(result), items, run);
}

}  // namespace dunlin::mds
