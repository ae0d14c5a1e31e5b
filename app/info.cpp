#include <fmt/format.h>

#include <memory>
#include <thread>

#include <dunlin/gpus.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

void describe_build() {
    fmt::print("dunlin {}\n", version);
    fmt::print("cpu: {} threads\n", std::thread::hardware_concurrency());
    if (!built_with_cuda()) {
        fmt::print("cuda: not in this build\n");
        return;
    }
    const std::vector<Gpu> all = gpus();
    if (all.empty()) fmt::print("cuda: no GPU found\n");
    for (std::size_t i = 0; i < all.size(); ++i) {
        fmt::print("cuda:{}: {}, {:.1f} GB, {:.1f} GB free\n", i, all[i].name,
                   static_cast<double>(all[i].memory) * 1e-9, static_cast<double>(all[i].free_memory) * 1e-9);
    }
}

void describe(const fs::path& input, const io::ReadOptions& options) {
    const io::Points points = io::read_points(input, options);
    fmt::print("{}: {}, {} rows, {} columns\n", input.string(), points.kind, points.values.rows(),
               points.values.cols());
    fmt::print("labels: {}\n", points.labels.empty() ? "none" : fmt::format("{} classes", points.labels.names.size()));
    fmt::print("ids: {}\n",
               points.ids.empty() ? "none" : fmt::format("'{}' to '{}'", points.ids.front(), points.ids.back()));
    if (!points.shift.empty()) fmt::print("columns far from zero are held less their offset\n");
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
    auto shared = std::make_shared<Shared>();
    auto input = std::make_shared<std::string>();
    CLI::App* sub = app.add_subcommand("info", "devices and build, or what an input holds");
    sub->add_option("INPUT", *input, "a file of points");
    add_read_flags(*sub, *shared);
    sub->callback([&action, shared, input] {
        action = [shared, input] {
            input->empty() ? describe_build() : describe(*input, shared->read);
            return done;
        };
    });
}

}  // namespace dunlin::app
