// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <dunlin/live.hpp>
#include <dunlin/run.hpp>
#include <dunlin/steering.hpp>

#include "live_map.hpp"
#include "server.hpp"

namespace dunlin::serve {

/// What is known about the points of a run. Referred to until its end.
struct RunPoints {
    Index count = 0;
    const std::vector<std::string>& ids;
    const Labels& labels;
    const Graph& graph;  ///< without vertices: points only
    std::optional<Matrix> data = {};
    neighbors::Metric metric = neighbors::Metric::euclidean;
    picture::Options style = {};  ///< with a title
};

/// Shows a run in browsers. Maps without an owner are copied on the thread of the run; frames are made on others. Each
/// takes at most about a fiftieth of the run's time: the next map waits as long as that needs. Frames take time of the
/// run only as far as its cores are busy. A layout that is kept warm after its end has no time to lose.
class RunView : public live::Watcher {
public:
    /// on_first_map is called, from another thread, when there is something to see.
    RunView(RunPoints points, int port, live::Steering& steering, std::function<void()> on_first_map);
    ~RunView() override;
    RunView(const RunView&) = delete;
    RunView& operator=(const RunView&) = delete;
    RunView(RunView&&) = delete;
    RunView& operator=(RunView&&) = delete;

    [[nodiscard]] std::string address() const { return server_.address(); }

    bool wants() override;
    void show(const live::Moment& moment) override;

    /// How far the run is.
    void tell(const Progress& progress);

    /// The last map. The pages then know about neighbors in it, and in the data; not if it `moves`, when touched.
    void finish(const Map& map, const std::string& title, bool moves = false);

    /// Pages are waited for from now on, or from the first call.
    void expect_pages();
    /// No page has been open for 3 s, or for a minute if there was none.
    [[nodiscard]] bool is_deserted();
    /// Waits until then.
    void stay(const std::stop_token& stop);

private:
    using Clock = std::chrono::steady_clock;

    struct Pending {
        int dim = 2;
        std::span<const float> coordinates;  ///< of `owner`, or in `copied` if that is null
        std::shared_ptr<const void> owner;
        std::vector<float> copied;
        std::uint32_t iteration = 0;
        double seconds = 0;
        bool is_there = false;
    };

    void work(const std::stop_token& stop);
    void publish(const Pending& taken);
    /// Seconds that the last map took from the run.
    [[nodiscard]] double spent();
    void say();
    [[nodiscard]] std::shared_ptr<const Viewed> viewed_of(Map map, bool moves) const;

    RunPoints points_;
    std::function<void()> on_first_map_;
    live::Steering& steering_;
    LiveMap live_;
    Server server_;
    Clock::time_point begin_ = Clock::now();

    // Of the run's thread
    Clock::time_point next_ = begin_, wanted_ = begin_, shown_ = begin_, told_ = begin_;
    Clock::time_point copied_ = begin_;  ///< the map before
    double used_ = 0;                    ///< processor time of the process until then
    std::string told_stage_;

    std::mutex saying_;
    std::string status_ = "null";         ///< JSON
    Clock::time_point visited_ = begin_;  ///< when a page was open

    std::mutex mutex_;
    std::condition_variable_any changed_;
    Pending pending_;
    std::atomic<bool> is_busy_ = false;          ///< a map waits, or is made into frames
    std::atomic<double> seconds_of_frames_ = 0;  ///< of processor time, for the last map
    std::atomic<bool> has_content_ = false;
    std::atomic<bool> is_expecting_ = false;  ///< pages: the run has ended, or is kept warm

    // Of the worker
    std::shared_ptr<const Viewed> viewed_;
    picture::MovingBox box_;
    std::uint32_t number_ = 0;

    std::jthread worker_, listener_;
};

}  // namespace dunlin::serve
