// SPDX-License-Identifier: Apache-2.0
#include "run_view.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include <dunlin/threads.hpp>

#include "steering.hpp"

namespace dunlin::serve {

namespace {

using namespace std::chrono_literals;

constexpr auto shortest_pause = 33ms;         ///< between two maps
constexpr auto longest_pause_unseen = 250ms;  ///< between two maps that no page waits for, so that a new page has one
constexpr double largest_share = 0.02;        ///< of the run's time
constexpr int most_rounders = 16;             ///< threads
constexpr std::size_t points_per_rounder = 250'000;
constexpr std::size_t numbers_per_copier = 1'000'000;
constexpr std::size_t most_copiers = 8;
constexpr double least_move = 16;  ///< numbers of a coordinate: a quarter of a pixel where the map has 1,000
constexpr auto patience_for_first = 60s, patience_for_reload = 3s;

/// Seconds of processor time of this thread, or of all.
double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double cores() { return usable_threads(); }

void copy(std::span<const float> from, std::vector<float>& to) {
    to.resize(from.size());
    const std::size_t parts = std::clamp<std::size_t>(from.size() / numbers_per_copier, 1, most_copiers);
    const auto copy_part = [&](std::size_t part) {
        const std::size_t begin = from.size() * part / parts, end = from.size() * (part + 1) / parts;
        std::copy(from.begin() + static_cast<std::ptrdiff_t>(begin), from.begin() + static_cast<std::ptrdiff_t>(end),
                  to.begin() + static_cast<std::ptrdiff_t>(begin));
    };
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < parts; ++part) others.emplace_back([&copy_part, part] { copy_part(part); });
    copy_part(0);
}

/// Whether no coordinate differs by more.
bool is_near(std::span<const float> a, std::span<const float> b, double most) {
    return std::ranges::equal(
        a, b, [most](float x, float y) { return std::abs(static_cast<double>(x) - static_cast<double>(y)) <= most; });
}

/// Points without a place are in the middle of the others.
Map without_gaps(Map map) {
    std::vector<double> middle(static_cast<std::size_t>(map.dim));
    double placed = 0;
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        if (std::isnan(map.coordinates[i])) continue;
        middle[i % middle.size()] += static_cast<double>(map.coordinates[i]);
        placed += i % middle.size() == 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        if (std::isnan(map.coordinates[i]))
            map.coordinates[i] = static_cast<float>(middle[i % middle.size()] / std::max(placed, 1.0));
    }
    return map;
}

}  // namespace

RunView::RunView(RunPoints points, int port, live::Steering& steering, std::function<void()> on_first_map)
    : points_(std::move(points)), on_first_map_(std::move(on_first_map)), steering_(steering), server_(live_, port) {
    live_.steering = &steering_;
    live_.on_steered = [this] { say(); };
    worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
    listener_ = std::jthread([this](const std::stop_token& stop) { server_.run(stop); });
}

RunView::~RunView() {
    worker_.request_stop();
    listener_.request_stop();
}

bool RunView::wants() {
    const Clock::time_point now = Clock::now();
    if (now < next_ || is_busy_) return false;
    if (has_content_ && live_.waiting == 0 && now < shown_ + longest_pause_unseen) return false;
    wanted_ = now;
    return true;
}

void RunView::show(const live::Moment& moment) {
    {
        const std::scoped_lock lock(mutex_);
        is_busy_ = true;
        pending_.owner = moment.owner;
        if (moment.owner == nullptr) copy(moment.coordinates, pending_.copied);
        pending_.coordinates = moment.owner == nullptr ? std::span<const float>(pending_.copied) : moment.coordinates;
        pending_.dim = moment.dim;
        pending_.iteration = static_cast<std::uint32_t>(moment.iteration);
        pending_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        pending_.is_there = true;
    }
    changed_.notify_one();
    shown_ = Clock::now();
    Clock::duration pause = shortest_pause;
    if (!is_expecting_) {
        const std::chrono::duration<double> wanted(spent() / largest_share);
        pause = std::max(pause, std::chrono::duration_cast<Clock::duration>(wanted));
    }
    next_ = shown_ + pause;
}

double RunView::spent() {
    const auto since = [this](Clock::time_point then) { return std::chrono::duration<double>(shown_ - then).count(); };
    const double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    // The share of the cores that the run needs: rounding itself takes those that are left
    const double needed = std::max(0.0, used - used_ - seconds_of_frames_);
    const double busy = std::min(1.0, needed / (cores() * std::max(since(copied_), 1e-9)));
    copied_ = shown_;
    used_ = used;
    return std::max(since(wanted_), busy * seconds_of_frames_ / cores());
}

void RunView::tell(const Progress& progress) {
    const Clock::time_point now = Clock::now();
    if (told_stage_ == progress.stage && now < told_ + 100ms) return;
    told_ = now;
    told_stage_ = progress.stage;
    nlohmann::json status{{"stage", told_stage_}, {"done", progress.done}, {"total", progress.total}};
    if (std::isfinite(progress.cost)) status["cost"] = progress.cost;
    {
        const std::scoped_lock lock(saying_);
        status_ = status.dump();
    }
    say();
}

void RunView::say() {
    const std::scoped_lock lock(saying_);
    live_.say("{\"status\":" + status_ + ",\"steering\":" + steering_state(steering_).dump() + "}");
}

void RunView::work(const std::stop_token& stop) {
    Pending taken;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return pending_.is_there; })) return;
            std::swap(taken, pending_);
            pending_.is_there = false;
        }
        publish(taken);
        taken.owner = nullptr;
        is_busy_ = false;
    }
}

void RunView::publish(const Pending& taken) {
    if (!has_content_) {
        viewed_ = viewed_of(without_gaps({taken.dim, {taken.coordinates.begin(), taken.coordinates.end()}}), true);
        live_.show(viewed_, true);
        has_content_ = true;
        on_first_map_();
    }
    const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const MatrixView<const float> map{
        taken.coordinates.data(), static_cast<Index>(taken.coordinates.size() / static_cast<std::size_t>(taken.dim)),
        taken.dim};
    const int most = std::min(most_rounders, usable_threads());
    const int threads = std::clamp(static_cast<int>(viewed_->content.rows.size() / points_per_rounder), 1, most);
    box_ = picture::box_around(map, box_, threads);
    // A layout that is kept warm rests where it is shown
    const bool rests = is_expecting_ && is_near(taken.coordinates, viewed_->map.coordinates, least_move * box_.step);
    live_.move(
        {++number_,
         picture::moving_frames(map, viewed_->content.rows, box_, {number_, taken.iteration, taken.seconds}, threads),
         rests});
    seconds_of_frames_ = threads * (seconds_of(CLOCK_THREAD_CPUTIME_ID) - before);
    say();
}

std::shared_ptr<const Viewed> RunView::viewed_of(Map map, bool moves) const {
    auto viewed = std::make_shared<Viewed>();
    viewed->content = picture::page_content(map, points_.graph, points_.labels, points_.ids, nullptr, points_.style,
                                            Run{.threads = moves ? 1 : 0});
    viewed->map = std::move(map);
    viewed->labels = points_.labels;
    viewed->ids = points_.ids;
    viewed->names = points_.style.item_names;
    viewed->points = points_.data;
    viewed->metric = points_.metric;
    return viewed;
}

void RunView::finish(const Map& map, const std::string& title, bool moves) {
    while (is_busy_) std::this_thread::sleep_for(1ms);
    points_.style.title = title;
    const bool is_first = !has_content_;
    viewed_ = viewed_of(map, moves);
    box_ = {};
    live_.show(viewed_, moves);
    has_content_ = true;
    if (is_first) on_first_map_();
    {
        const std::scoped_lock lock(saying_);
        status_ = "null";
    }
    say();
}

void RunView::expect_pages() {
    const std::scoped_lock lock(saying_);
    if (!is_expecting_) visited_ = Clock::now();
    is_expecting_ = true;
}

bool RunView::is_deserted() {
    const std::scoped_lock lock(saying_);
    const Clock::time_point now = Clock::now();
    if (live_.pages > 0) visited_ = now;
    return now > visited_ + (live_.had_pages ? patience_for_reload : patience_for_first);
}

void RunView::stay(const std::stop_token& stop) {
    expect_pages();
    say();
    while (!stop.stop_requested() && !is_deserted()) std::this_thread::sleep_for(50ms);
}

}  // namespace dunlin::serve
