// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dunlin/check.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/live.hpp>
#include <dunlin/page.hpp>
#include <dunlin/surface.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "item_names.hpp"
#include "picture_options.hpp"
#include "run.hpp"

/// Parts of the page that shows a map, for dunlin.view(), and copies of the maps of a run, for dunlin.watch().
namespace dunlin::python {

namespace {

using Box = std::array<double, 4>;  ///< origin and step of a MovingBox

nb::list bytes_of(const std::vector<std::string>& frames) {
    nb::list all;
    for (const std::string& frame : frames) all.append(nb::bytes(frame.data(), frame.size()));
    return all;
}

nb::str text_of(std::string_view text) { return nb::str(text.data(), text.size()); }

/// The constant files of a page; scripts in their order.
nb::dict page_files() {
    const picture::PageFiles files = picture::page_files();
    nb::dict all;
    all["body"] = text_of(files.body);
    all["style"] = text_of(files.style);
    nb::list scripts;
    for (const std::string_view script :
         {files.relief_script, files.run_script, files.webgpu_script, files.port_script, files.script})
        scripts.append(text_of(script));
    all["scripts"] = scripts;
    all["widget"] = text_of(files.widget_module);
    return all;
}

/// Facts, frames and rows of a page. hulls: options of hulls around the points of each label; None: no hulls, as for
/// the landscape.
nb::tuple page_content(const FloatMatrix& map, const std::optional<nb::tuple>& graph,
                       const std::optional<Indices>& labels, const std::vector<std::string>& names,
                       const std::vector<std::string>& ids, const ItemNames& item_names,
                       const std::optional<ArrayOf<double, 1>>& values, const std::string& value_name,
                       const std::optional<nb::dict>& hulls, const nb::dict& options,
                       const std::vector<std::pair<std::string, std::string>>& colors,
                       const std::optional<nb::dict>& landscape_options, const nb::dict& run) {
    picture::Options chosen = picture_options_from(options, colors);
    std::tie(chosen.name_these, chosen.item_names, chosen.name_ranks) = item_names;
    const auto landscape = options_from<picture::LandscapeOptions>(landscape_options ? *landscape_options : nb::dict());
    options::check(landscape);
    surface::HullOptions hull;
    if (hulls) hull = options_from<surface::HullOptions>(*hulls);
    const Map placed = map_of(map);
    const Graph edges = graph_of(graph);
    const Labels classes = labels_from(labels, names);
    picture::Coloring coloring{{}, value_name};
    if (values) coloring.values.assign(values->data(), values->data() + values->size());
    Watched watched(run, nb::none(), 0);
    picture::PageContent content = watched([&](const Run& r) {
        surface::HullResult found;
        if (hulls) found = surface::hulls(placed, classes, hull, r);
        const bool has_landscape = landscape_options && edges.size() == 0;
        const picture::PageExtras extras{has_landscape ? &landscape : nullptr, hulls ? &found.mesh : nullptr};
        return picture::page_content(placed, edges, classes, ids, values ? &coloring : nullptr, chosen, r, extras);
    });
    nb::dict all;
    all["facts"] = text_of(content.facts);
    all["frames"] = bytes_of(content.frames);
    all["rows"] = array_of(std::move(content.rows));
    return nb::make_tuple(all, watched.raised());
}

/// Frames of a map that has moved, and the box for the next one.
nb::tuple moving_frames(const FloatMatrix& map, const Indices& rows, const Box& last, std::uint32_t number,
                        std::uint32_t iteration, double seconds) {
    const Map placed = map_of(map);
    std::vector<std::string> frames;
    picture::MovingBox box{{last[0], last[1], last[2]}, last[3]};
    {
        const nb::gil_scoped_release released;
        box = picture::box_around(placed.view(), box);
        frames = picture::moving_frames(placed.view(), span_of(rows), box, {number, iteration, seconds});
    }
    return nb::make_tuple(bytes_of(frames), nb::make_tuple(box.origin[0], box.origin[1], box.origin[2], box.step));
}

/// Copies maps of the runs of this thread between begin() and end(), and calls take(map, iteration, seconds) with the
/// newest copy on a thread of its own. It returns the seconds until the next copy. A run never waits for it; copying
/// takes at most a fiftieth of the run's time.
class Snapshots : public live::Watcher {
public:
    Snapshots(nb::object take, Index points) : take_(std::move(take)), points_(points) {}
    ~Snapshots() override { end(); }
    Snapshots(const Snapshots&) = delete;
    Snapshots& operator=(const Snapshots&) = delete;
    Snapshots(Snapshots&&) = delete;
    Snapshots& operator=(Snapshots&&) = delete;

    void begin() {
        worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
        watching_.emplace(*this, points_);
    }

    /// Waits until no copy is taken.
    void wait() const {
        const nb::gil_scoped_release released;
        while (is_busy_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    void end() {
        watching_.reset();
        worker_.request_stop();
        {
            const nb::gil_scoped_release released;  // the worker may be waiting for it
            if (worker_.joinable()) worker_.join();
        }
        take_ = nb::none();
    }

    bool wants() override {
        const Clock::time_point now = Clock::now();
        if (is_busy_ || has_failed_ || now < next_) return false;
        wanted_ = now;
        return true;
    }

    void show(const live::Moment& moment) override {
        {
            const std::scoped_lock lock(mutex_);
            pending_.emplace(Copy{{moment.coordinates.begin(), moment.coordinates.end()},
                                  moment.dim,
                                  static_cast<std::uint32_t>(moment.iteration),
                                  std::chrono::duration<double>(Clock::now() - begin_).count()});
            is_busy_ = true;
        }
        changed_.notify_one();
        const Clock::time_point now = Clock::now();
        const double copying = std::chrono::duration<double>(now - wanted_).count();
        next_ = now + std::chrono::duration_cast<Clock::duration>(
                          std::chrono::duration<double>(std::max(pause_.load(), copying / largest_share)));
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double largest_share = 0.02, longest_pause = 3600;

    struct Copy {
        std::vector<float> coordinates;
        int dim = 2;
        std::uint32_t iteration = 0;
        double seconds = 0;
    };

    void work(const std::stop_token& stop) {
        for (;;) {
            Copy taken;
            {
                std::unique_lock lock(mutex_);
                if (!changed_.wait(lock, stop, [&] { return pending_.has_value(); })) return;
                taken = std::move(*pending_);
                pending_.reset();
            }
            give(std::move(taken));
            is_busy_ = false;
        }
    }

    void give(Copy&& taken) {
        const nb::gil_scoped_acquire acquired;
        try {
            const auto dim = static_cast<std::size_t>(taken.dim);
            const std::size_t rows = taken.coordinates.size() / dim;
            const nb::object map = array_of(std::move(taken.coordinates), {rows, dim});
            pause_ = std::clamp(nb::cast<double>(take_(map, taken.iteration, taken.seconds)), 0.0, longest_pause);
            return;
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("dunlin.watch()");
        } catch (const nb::cast_error&) {  // NOLINT(bugprone-empty-catch): no number of seconds
        }
        has_failed_ = true;  // the run goes on unseen
    }

    nb::object take_;
    Index points_;
    std::optional<live::Watching> watching_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_ = begin_, wanted_ = begin_;  ///< of the run's thread

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<Copy> pending_;
    std::atomic<bool> is_busy_ = false;  ///< a map waits, or is taken
    std::atomic<bool> has_failed_ = false;
    std::atomic<double> pause_ = 0;
    std::jthread worker_;
};

}  // namespace

void bind_pages(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("page_files", page_files);
    module.def("page_content", page_content, nb::arg(), none, none, nb::arg(), nb::arg(), nb::arg(), none, nb::arg(),
               none, nb::arg(), nb::arg(), none, nb::arg());
    module.def("moving_frames", moving_frames);
    nb::class_<Snapshots>(module, "Snapshots")
        .def(nb::init<nb::object, Index>())
        .def("begin", &Snapshots::begin)
        .def("wait", &Snapshots::wait)
        .def("end", &Snapshots::end);
}

}  // namespace dunlin::python
