// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "streams.hpp"

namespace dunlin::app {

namespace {

class ProgressPrinter {
public:
    explicit ProgressPrinter(bool terminal) : terminal_(terminal) {}

    void show(const Progress& p) {
        if (stage_ != p.stage) begin(p);
        const bool finished = p.done == p.total;
        open_ = !finished;
        if (terminal_) {
            write_error(fmt::format("\r{}\033[K{}", bar(p), finished ? "\n" : ""));
        } else if (p.total > 0 && ((finished && is_worth_a_line()) || Clock::now() >= next_line_)) {
            write_error(fmt::format("{}: {} of {} in {:.2f} s{}{}\n", p.stage, p.done, p.total, seconds(), cost(p),
                                    finished ? "" : ", " + left(p)));
            next_line_ = Clock::now() + line_every;
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds line_every{5};  ///< without a terminal

    /// Begins a stage; closes the line of the last one, which may not have reported its end.
    void begin(const Progress& p) {
        if (open_ && terminal_) write_error(fmt::format("\n"));
        if (open_ && !terminal_ && is_worth_a_line())
            write_error(fmt::format("{}: done in {:.2f} s\n", stage_, seconds()));
        stage_ = p.stage;
        begin_ = Clock::now();
        next_line_ = begin_ + line_every;
    }

    /// Without a terminal, short stages have no line.
    [[nodiscard]] bool is_worth_a_line() const { return seconds() >= 0.2; }
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

    static std::string cost(const Progress& p) {
        return std::isnan(p.cost) ? "" : fmt::format(", cost {:.5g}", std::abs(p.cost));
    }

    [[nodiscard]] std::string bar(const Progress& p) const {
        constexpr int width = 30;
        const double share = p.total > 0 ? static_cast<double>(p.done) / static_cast<double>(p.total) : 0;
        const auto full = static_cast<std::size_t>(share * width);
        const std::string drawn = std::string(full, '#') + std::string(width - full, '.');
        return fmt::format("{:<11}[{}] {}/{}  {:.0f}/s{}  {}", p.stage, drawn, p.done, p.total, rate(p), cost(p),
                           left(p));
    }

    [[nodiscard]] double rate(const Progress& p) const {
        return seconds() > 0 ? static_cast<double>(p.done) / seconds() : 0;
    }

    [[nodiscard]] std::string left(const Progress& p) const {
        const double steps = static_cast<double>(p.total - p.done);
        const auto time = rate(p) > 0 ? static_cast<long>(steps / rate(p)) : 0;
        return fmt::format("{}:{:02} left", time / 60, time % 60);
    }

    bool terminal_;
    bool open_ = false;  ///< a stage has begun and not ended
    std::string stage_;
    Clock::time_point begin_ = Clock::now(), next_line_ = begin_ + line_every;
};

}  // namespace

std::function<void(const Progress&)> show_progress(bool quiet) {
    if (quiet) return {};
    return [watcher = std::make_shared<ProgressPrinter>(isatty(STDERR_FILENO) != 0)](const Progress& p) {
        watcher->show(p);
    };
}

}  // namespace dunlin::app
