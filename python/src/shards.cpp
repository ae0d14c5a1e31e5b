// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include <dunlin/shards.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "curve.hpp"
#include "mixture.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

std::span<const std::byte> bytes_in(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

nb::bytes bytes_of(std::span<const std::byte> message) { return nb::bytes(message.data(), message.size()); }

nb::list bytes_of(const std::vector<kmeans::Message>& messages) {
    nb::list all;
    for (const kmeans::Message& message : messages) all.append(bytes_of(std::span(message)));
    return all;
}

/// kmeans::Shard, with the arrays of its chunks, which it keeps alive.
class ShardOfArrays {
public:
    ShardOfArrays(const std::string& metric, int threads, const std::string& device)
        : shard_(value_of<kmeans::Metric>(nb::cast(metric), "metric"), run_of(threads, device)) {}

    void add(Offset first, const FloatMatrix& rows, const std::optional<Floats>& weights) {
        {
            const nb::gil_scoped_release released;  // an answer may be under way
            shard_.add(first, view_of(rows), span_of(weights));
        }
        arrays_.insert_or_assign(first, Arrays{rows, weights});
    }
    void remove(Offset first) {
        {
            const nb::gil_scoped_release released;
            shard_.remove(first);
        }
        arrays_.erase(first);
    }
    [[nodiscard]] nb::list chunks() const {
        std::vector<kmeans::Chunk> held;
        {
            const nb::gil_scoped_release released;
            held = shard_.chunks();
        }
        nb::list all;
        for (const kmeans::Chunk& chunk : held) all.append(nb::make_tuple(chunk.first, chunk.rows));
        return all;
    }
    /// only: the first rows of the chunks that respond; none: all.
    nb::list answer(const nb::bytes& request, const std::optional<std::vector<Offset>>& only) {
        std::vector<kmeans::Message> responses;
        if (!only || !only->empty()) {
            const nb::gil_scoped_release released;
            responses =
                shard_.answer(bytes_in(request), only ? std::span<const Offset>(*only) : std::span<const Offset>());
        }
        return bytes_of(responses);
    }

private:
    struct Arrays {
        FloatMatrix rows;
        std::optional<Floats> weights;
    };
    static Run run_of(int threads, const std::string& device) {
        Run run;
        run.threads = threads;
        run.device = value_of<Device>(nb::cast(device), "device");
        return run;
    }

    kmeans::Shard shard_;
    std::map<Offset, Arrays> arrays_;
};

nb::dict describe_message(const nb::bytes& message) {
    const kmeans::MessageInfo info = kmeans::describe(bytes_in(message));
    const bool responds = info.chunk >= 0;
    nb::dict all;
    all["kind"] = std::string(info.kind);
    all["epoch"] = info.epoch;
    all["step"] = info.step;
    all["iteration"] = info.iteration;
    all["chunk"] = responds ? nb::object(nb::cast(info.chunk)) : nb::none();
    all["rows"] = responds ? nb::object(nb::cast(info.rows)) : nb::none();
    return all;
}

/// Shards reached by ask(request: bytes) -> iterable of bytes. What it raises leaves the driver.
kmeans::CallbackShards shards_of(const nb::callable& ask) {
    return kmeans::CallbackShards([&ask](const kmeans::Message& request) {
        const nb::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        std::vector<kmeans::Message> responses;
        const nb::object answered = ask(bytes_of(std::span(request)));
        for (const nb::handle each : answered) {
            const auto response = nb::cast<nb::bytes>(each);
            const auto bytes = bytes_in(response);
            responses.emplace_back(bytes.begin(), bytes.end());
        }
        return responses;
    });
}

nb::dict values_of(kmeans::Result&& result, const kmeans::Shape& shape, bool labels, std::uint64_t epoch) {
    nb::dict all = outcome_of(result);
    const kmeans::Message request =
        kmeans::labels_request(shape, result.centroids.view(), result.options.metric, epoch);
    all["labels"] = labels ? array_of(std::move(result.labels)) : nb::none();
    all["labels_request"] = bytes_of(std::span(request));
    all["centers"] = array_of(result.centroids);
    all["counts"] = array_of(std::move(result.counts));
    all["inertia"] = result.inertia;
    return all;
}

/// Driving by Python's objects, which it refers to.
kmeans::Driving driving_of(std::uint64_t epoch, bool labels, bool ask_after_stop,
                           const std::optional<nb::callable>& on_checkpoint, const std::optional<nb::bytes>& resume) {
    kmeans::Driving driving;
    driving.epoch = epoch;
    driving.labels = labels;
    driving.ask_after_stop = ask_after_stop;
    if (resume) driving.resume = bytes_in(*resume);
    if (on_checkpoint) {
        driving.on_checkpoint = [&on_checkpoint](const kmeans::Message& state) {
            const nb::gil_scoped_acquire acquired;
            (*on_checkpoint)(bytes_of(std::span(state)));
        };
    }
    return driving;
}

/// up_to: the largest number of clusters to try; 0: those of the options only.
nb::tuple kmeans_over(const nb::callable& ask, Offset n, Index cols, bool weighted,
                      const std::optional<FloatMatrix>& centroids, const nb::dict& options, const nb::dict& run,
                      nb::object callback, Offset chunk_rows, std::uint64_t epoch, bool labels, bool ask_after_stop,
                      const std::optional<nb::callable>& on_checkpoint, const std::optional<nb::bytes>& resume,
                      Index up_to, const std::string& criterion) {
    const auto chosen = options_from<kmeans::Options>(options);
    const kmeans::Shape shape{n, cols, weighted, chunk_rows};
    const kmeans::Given given{view_of(centroids), {}};
    const kmeans::Driving driving = driving_of(epoch, labels, ask_after_stop, on_checkpoint, resume);
    const std::uint64_t used = resume ? kmeans::describe(driving.resume).epoch + 1 : epoch;
    kmeans::CallbackShards shards = shards_of(ask);
    Watched watched(run, std::move(callback), 0);
    if (up_to == 0) {
        kmeans::Result result =
            watched([&](const Run& r) { return kmeans::cluster(shards, shape, chosen, r, given, driving); });
        return nb::make_tuple(values_of(std::move(result), shape, labels, used), watched.raised());
    }
    const auto by = value_of<kmeans::Criterion>(nb::cast(criterion), "criterion");
    kmeans::Choice choice =
        watched([&](const Run& r) { return kmeans::choose(shards, shape, up_to, by, chosen, r, driving); });
    nb::dict all = values_of(std::move(choice.best), shape, labels, used);
    all["curve"] = list_of(choice.curve);
    return nb::make_tuple(all, watched.raised());
}

nb::tuple mixture_over(const nb::callable& ask, Offset n, Index cols, const nb::dict& options, const nb::dict& run,
                       nb::object callback, Offset chunk_rows, std::uint64_t epoch, bool labels, bool ask_after_stop,
                       const std::optional<nb::callable>& on_checkpoint, const std::optional<nb::bytes>& resume) {
    const auto chosen = options_from<mixture::Options>(options);
    const kmeans::Driving driving = driving_of(epoch, labels, ask_after_stop, on_checkpoint, resume);
    kmeans::CallbackShards shards = shards_of(ask);
    kmeans::Message request;
    Watched watched(run, std::move(callback), 0);
    mixture::Result result = watched(
        [&](const Run& r) { return mixture::fit(shards, {n, cols, false, chunk_rows}, chosen, r, driving, &request); });
    nb::dict all = mixture_as_dict(std::move(result));
    all["labels_request"] = bytes_of(std::span(request));
    return nb::make_tuple(all, watched.raised());
}

/// on_lists(first, targets, distances): the lists of the next rows.
nb::tuple neighbors_over(const nb::callable& ask, Offset n, Index cols, const nb::dict& options, const nb::dict& run,
                         nb::object callback, const nb::callable& on_lists, Offset chunk_rows, std::uint64_t epoch,
                         Offset found) {
    const auto chosen = options_from<neighbors::Options>(options);
    neighbors::Driving driving{.epoch = epoch, .found = found};
    driving.on_lists = [&on_lists](Offset first, std::span<const Index> targets, std::span<const float> distances) {
        const nb::gil_scoped_acquire acquired;
        on_lists(first, array_of(std::vector<Index>(targets.begin(), targets.end())),
                 array_of(std::vector<float>(distances.begin(), distances.end())));
    };
    kmeans::CallbackShards shards = shards_of(ask);
    Watched watched(run, std::move(callback), 0);
    const neighbors::Result result = watched(
        [&](const Run& r) { return neighbors::search(shards, {n, cols, false, chunk_rows}, chosen, r, driving); });
    nb::dict all = outcome_of(result);
    all["probes"] = result.probes;
    all["recall"] = result.recall;
    all["recall_se"] = result.recall_se;
    return nb::make_tuple(all, watched.raised());
}

}  // namespace

void bind_shards(nb::module_& module) {
    nb::class_<ShardOfArrays>(module, "Shard")
        .def(nb::init<const std::string&, int, const std::string&>(), nb::arg("metric") = "euclidean",
             nb::arg("threads") = 0, nb::arg("device") = "cpu")
        .def("add", &ShardOfArrays::add, nb::arg("first"), nb::arg("rows").noconvert(),
             nb::arg("weights").none() = nb::none())
        .def("remove", &ShardOfArrays::remove, nb::arg("first"))
        .def("chunks", &ShardOfArrays::chunks)
        .def("answer", &ShardOfArrays::answer, nb::arg("request"), nb::arg("chunks").none() = nb::none());
    module.def("chunk_rows", &kmeans::chunk_rows, nb::arg("cols"));
    module.def(
        "bytes_of_shard",
        [](Offset n, Index cols, bool weighted, Offset chunks, Index clusters, int threads) {
            return kmeans::bytes_of_shard({n, cols, weighted}, chunks, clusters, threads);
        },
        nb::arg("n"), nb::arg("cols"), nb::arg("weighted"), nb::arg("chunks"), nb::arg("clusters"), nb::arg("threads"));
    module.def(
        "bytes_of_mixture_shard",
        [](Offset n, Index cols, Offset chunks, const nb::dict& options, int threads) {
            return mixture::bytes_of_shard({n, cols}, chunks, options_from<mixture::Options>(options), threads);
        },
        nb::arg("n"), nb::arg("cols"), nb::arg("chunks"), nb::arg("options"), nb::arg("threads"));
    module.def("mixture_over", mixture_over, nb::arg("ask"), nb::arg("n"), nb::arg("cols"), nb::arg("options"),
               nb::arg("run"), nb::arg("callback").none(), nb::arg("chunk_rows") = 0, nb::arg("epoch") = 1,
               nb::arg("labels") = true, nb::arg("ask_after_stop") = true, nb::arg("on_checkpoint").none() = nb::none(),
               nb::arg("resume").none() = nb::none());
    module.def("neighbors_over", neighbors_over, nb::arg("ask"), nb::arg("n"), nb::arg("cols"), nb::arg("options"),
               nb::arg("run"), nb::arg("callback").none(), nb::arg("on_lists"), nb::arg("chunk_rows") = 0,
               nb::arg("epoch") = 1, nb::arg("found") = 0);
    module.def("describe_message", describe_message, nb::arg("message"));
    module.def(
        "labels_of", [](const nb::bytes& response) { return array_of(kmeans::labels_of(bytes_in(response))); },
        nb::arg("response"));
    module.def("kmeans_over", kmeans_over, nb::arg("ask"), nb::arg("n"), nb::arg("cols"), nb::arg("weighted"),
               nb::arg("centroids").none(), nb::arg("options"), nb::arg("run"), nb::arg("callback").none(),
               nb::arg("chunk_rows") = 0, nb::arg("epoch") = 1, nb::arg("labels") = true,
               nb::arg("ask_after_stop") = true, nb::arg("on_checkpoint").none() = nb::none(),
               nb::arg("resume").none() = nb::none(), nb::arg("up_to") = 0, nb::arg("criterion") = "bic");
    module.def("should_stop_waiting", &kmeans::should_stop_waiting, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace dunlin::python
