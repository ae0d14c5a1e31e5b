// SPDX-License-Identifier: Apache-2.0
#include <dunlin/transform.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "io/fail.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/output.hpp"
#include "io/place_state.hpp"
#include "io/run_reader.hpp"
#include "io/zip.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

constexpr std::int64_t version = 3;
constexpr std::array<std::string_view, 1> formats{".npz"};

std::int64_t upper_half(std::uint64_t bits) { return static_cast<std::int64_t>(bits >> 32); }
std::int64_t lower_half(std::uint64_t bits) { return static_cast<std::int64_t>(bits & 0xffffffffU); }
std::uint64_t joined(std::int64_t upper, std::int64_t lower) {
    return static_cast<std::uint64_t>(upper) << 32 | static_cast<std::uint64_t>(lower);
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Numbers of an array of the archive; throws unless there are `count`, none of them NaN, within the range of T, and
/// whole if T is.
template <class T>
std::vector<T> numbers(const Npz& archive, const Bytes& file, const char* name, std::size_t count) {
    constexpr double most = std::is_integral_v<T> ? 0x1p53 : static_cast<double>(std::numeric_limits<T>::max());
    if (!archive.contains(name))
        bad_file("'{}' has no '{}'; it is no state of a map (--state of dunlin tsne, umap or pacmap)", file.name(),
                 name);
    const Bytes content = archive.array(name);
    const Array array = parse_npy(content);
    if (array.is_text() || array.count() != count)
        bad_file("'{}' does not hold {} numbers; make the state again", content.name(), count);
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 65536 == 0) progress::cancellation_point();
        const double number = array.number(i);
        const bool fits = std::abs(number) <= most || (std::isinf(number) && !std::is_integral_v<T>);
        if (!fits || (std::is_integral_v<T> && number != std::floor(number)))
            bad_file("'{}' has the number {}; make the state again", content.name(), number);
        values[i] = static_cast<T>(number);
    }
    return values;
}

}  // namespace

void write_place_state(const std::filesystem::path& path, const placement::State& state) {
    format_of(path, "the state of a map is", formats);
    Output out(path);
    ZipOutput zip(out);
    // Fingerprints in two halves: readers of arrays give doubles
    const std::vector<std::int64_t> size{version,
                                         state.rows,
                                         state.cols,
                                         state.k,
                                         state.pca,
                                         static_cast<std::int64_t>(state.metric),
                                         static_cast<std::int64_t>(state.method),
                                         upper_half(state.fingerprint),
                                         lower_half(state.fingerprint),
                                         upper_half(state.map_fingerprint),
                                         lower_half(state.map_fingerprint)};
    const std::vector<double> reals{static_cast<double>(state.perplexity),
                                    static_cast<double>(state.local_connectivity), state.mean_distance,
                                    state.far_of_map, state.neighbor_distance};
    zip.add("place_state.npy", npy_header("<i8", {size.size()}), bytes_of(size));
    zip.add("reals.npy", npy_header("<f8", {reals.size()}), bytes_of(reals));
    zip.add("scales.npy", npy_header("<f4", {static_cast<std::uint64_t>(state.rows), 4}), bytes_of(state.scales));
    zip.finish();
    out.commit();
}

placement::State parse_place_state(const Bytes& file) {
    const Npz archive(file);
    const auto size = numbers<std::int64_t>(archive, file, "place_state", 11);
    if (size[0] != version)
        bad_file("'{}' is a state of version {}, not {}; make it again", file.name(), size[0], version);
    constexpr std::int64_t most = std::numeric_limits<Index>::max();
    const auto metrics = std::ssize(names(neighbors::Metric{}));
    const bool plausible = size[1] >= 1 && size[1] <= most && size[2] >= 1 && size[2] <= most && size[3] >= 1 &&
                           size[3] <= size[1] && size[4] >= 1 && size[4] <= size[2] && size[5] >= 0 &&
                           size[5] < metrics && size[6] >= 0 && size[6] < std::ssize(names(placement::Method{}));
    if (!plausible) bad_file("'{}' has sizes that no map has; make the state again", file.name());
    const auto reals = numbers<double>(archive, file, "reals", 5);
    for (const double real : reals) {
        if (!(std::abs(real) <= std::numeric_limits<float>::max()))
            bad_file("'{}' has the number {}; make the state again", file.name(), real);
    }
    placement::State state;
    state.rows = static_cast<Index>(size[1]);
    state.cols = static_cast<Index>(size[2]);
    state.k = static_cast<Index>(size[3]);
    state.pca = static_cast<Index>(size[4]);
    state.metric = static_cast<neighbors::Metric>(size[5]);
    state.method = static_cast<placement::Method>(size[6]);
    state.fingerprint = joined(size[7], size[8]);
    state.map_fingerprint = joined(size[9], size[10]);
    state.perplexity = static_cast<float>(reals[0]);
    state.local_connectivity = static_cast<float>(reals[1]);
    state.mean_distance = reals[2];
    state.far_of_map = reals[3];
    state.neighbor_distance = reals[4];
    state.scales = numbers<float>(archive, file, "scales", 4 * static_cast<std::size_t>(state.rows));
    return state;
}

placement::State read_place_state(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return parse_place_state(load(path)); });
}

}  // namespace dunlin::io
