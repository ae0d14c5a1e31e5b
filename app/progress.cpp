#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

namespace dunlin::app {

namespace {

class Watcher {
public:
    explicit Watcher(bool terminal) : terminal_(terminal) {}

    void show(const Progress& p) {
        if (stage_ != p.stage) begin(p);
        const bool finished = p.done == p.total;
        open_ = !finished;
        if (terminal_) {
            fmt::print(stderr, "\r{}\033[K{}", bar(p), finished ? "\n" : "");
        } else if (finished && p.total > 0) {
            fmt::print(stderr, "{}: {} of {} in {:.2f} s{}\n", p.stage, p.done, p.total, seconds(), cost(p));
        }
        std::fflush(stderr);
    }

private:
    using Clock = std::chrono::steady_clock;

    /// A stage may end without a last word: the next one closes its line.
    void begin(const Progress& p) {
        if (open_ && terminal_) fmt::print(stderr, "\n");
        if (open_ && !terminal_) fmt::print(stderr, "{}: done in {:.2f} s\n", stage_, seconds());
        stage_ = p.stage;
        begin_ = Clock::now();
    }

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

    static std::string cost(const Progress& p) { return std::isnan(p.cost) ? "" : fmt::format(", KL {:.4f}", p.cost); }

    [[nodiscard]] std::string bar(const Progress& p) const {
        constexpr int width = 30;
        const double share = p.total > 0 ? static_cast<double>(p.done) / static_cast<double>(p.total) : 0;
        const auto full = static_cast<std::size_t>(share * width);
        const std::string drawn = std::string(full, '#') + std::string(width - full, '.');
        const double rate = seconds() > 0 ? static_cast<double>(p.done) / seconds() : 0;
        const auto left = rate > 0 ? static_cast<long>(static_cast<double>(p.total - p.done) / rate) : 0;
        return fmt::format("{:<11}[{}] {}/{}  {:.0f}/s{}  {}:{:02} left", p.stage, drawn, p.done, p.total, rate,
                           cost(p), left / 60, left % 60);
    }

    bool terminal_;
    bool open_ = false;  ///< the stage has begun and has not said that it ended
    std::string stage_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace

std::function<void(const Progress&)> show_progress(bool quiet) {
    if (quiet) return {};
    return [watcher = std::make_shared<Watcher>(isatty(STDERR_FILENO) != 0)](const Progress& p) { watcher->show(p); };
}

}  // namespace dunlin::app
