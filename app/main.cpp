// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <new>

#include <dunlin/fewer_threads.hpp>

#include "commands.hpp"
#include "common.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "nearest_word.hpp"
#include "report.hpp"
#include "start.hpp"
#include "streams.hpp"

#if defined(__SANITIZE_ADDRESS__)
// fontconfig does not free its cache
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:libfontconfig\n";
}
#endif

namespace dunlin::app {
namespace {

int complain(const std::string& sentence, int code) {
    tell("dunlin: {}\n", sentence);
    return code;
}

/// The library's message with its option as a flag: "theta is -1" becomes "--theta is -1", and "(array: X)"
/// "(--array X)". If the message has neither, the flag is appended in brackets.
std::string with_flag(const Error& error) {
    std::string sentence = error.what();
    const std::string& option = error.place().option;
    if (option.empty()) return sentence;
    const std::string flag = (option.size() == 1 ? "-" : "--") + option;
    if (sentence.find(flag) != std::string::npos) return sentence;
    const std::string remedy = fmt::format("({}: ", option);
    if (const auto at = sentence.rfind(remedy); at != std::string::npos)
        return sentence.replace(at, remedy.size(), fmt::format("({} ", flag));
    const bool begins =
        sentence.starts_with(option) && !std::isalnum(static_cast<unsigned char>(sentence[option.size()]));
    return begins ? flag + sentence.substr(option.size()) : fmt::format("{} ({})", sentence, flag);
}

/// What stands between a complaint and its remedy: a semicolon, and the word that may have been meant.
std::string meant(const std::string& misspelled, const std::vector<std::string>& known) {
    const std::string nearest = nearest_word(misspelled, known);
    return nearest.empty() ? ";" : fmt::format("; did you mean {}?", nearest);
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> flags_of(const CLI::App& command) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    return flags;
}

/// Message for a first word that is no command.
std::string command_wanted(const CLI::App& app, const std::string& word) {
    constexpr std::size_t longest = 80;
    if (word.empty()) return "which command? dunlin --help lists them; dunlin map FILE makes a map";
    std::error_code unknown;
    if (fs::exists(word, unknown))
        return fmt::format("'{0}' is a file, not a command; for a map of it: dunlin map {0}", word);
    if (word.size() > longest)
        return fmt::format("'{}...' is not a command; dunlin --help lists them", word.substr(0, longest));
    return fmt::format("'{}' is not a command{} dunlin --help lists them", word, meant(word, commands_of(app)));
}

/// A parse error as one sentence.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& fault) {
    const auto commands = app.get_subcommands();
    const std::string name = commands.empty() ? "dunlin" : "dunlin " + commands.front()->get_name();
    std::string what = fault.what(), link = ";";
    const std::string conversion = "Could not convert: ";
    const auto equals = what.find(" = ");
    if (what.starts_with(conversion) && equals != std::string::npos) {
        what = fmt::format("{} is '{}'; it must be a number",
                           what.substr(conversion.size(), equals - conversion.size()), what.substr(equals + 3));
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&fault) != nullptr && !commands.empty()) {
        const std::string word = commands.front()->remaining().front();
        what = fmt::format("{} knows no '{}'", name, word);
        link = meant(word.substr(0, word.find('=')), flags_of(*commands.front()));
    }
    return fmt::format("{}{} see {} --help", what, link, name);
}

/// Rejects empty numbers, which CLI11 would read as 0.
void refuse_empty_numbers(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        const std::string kind = option->get_type_name();
        const auto is = [&](const char* number) { return kind.starts_with(number); };
        const bool numbers = is("INT") || is("UINT") || is("FLOAT") || kind == "N" || kind == "NUMBER";
        for (const std::string& value : option->results()) {
            if (!numbers || !value.empty()) continue;
            throw CLI::ConversionError(option->get_name() + " is ''; it must be a number");
        }
    }
    for (const CLI::App* part : app.get_subcommands({})) refuse_empty_numbers(*part);
}

void say_fewer_threads(const CLI::App& command) {
    const CLI::Option* quiet = command.get_option_no_throw("--quiet");
    const std::string why = why_fewer_threads();
    if (!why.empty() && (quiet == nullptr || quiet->count() == 0)) tell("note: {}\n", why);
}

struct Command {
    std::string_view name;
    void (*add)(CLI::App&, Action&);
};
constexpr Command all_commands[] = {{"map", add_map},
                                    {"tsne", add_tsne},
                                    {"umap", add_umap},
                                    {"transform", add_transform},
                                    {"inverse", add_inverse},
                                    {"pacmap", add_pacmap},
                                    {"train", add_train},
                                    {"layout", add_layout},
                                    {"mds", add_mds},
                                    {"neighbors", add_neighbors},
                                    {"kmeans", add_kmeans},
                                    {"kmedoids", add_kmedoids},
                                    {"mixture", add_mixture},
                                    {"clusters", add_clusters},
                                    {"communities", add_communities},
                                    {"score", add_score},
                                    {"draw", add_draw},
                                    {"density", add_density},
                                    {"view", add_view},
                                    {"surface", add_surface},
                                    {"waves", add_waves},
                                    {"info", add_info}};

/// Adds the command of this name, or all if there is none: the flags of all commands take as long as a small run.
void add_commands(CLI::App& app, std::string_view wanted, Action& action) {
    const bool has_it = std::any_of(std::begin(all_commands), std::end(all_commands),
                                    [wanted](const Command& command) { return command.name == wanted; });
    for (const Command& command : all_commands) {
        if (!has_it || command.name == wanted) command.add(app, action);
    }
}

int run(int argc, char** argv) {
    CLI::App app("Dunlin turns points into maps, with a picture and an honest score.", "dunlin");
    app.set_version_flag("--version", std::string("dunlin ") + version);
    app.require_subcommand(1);
    Action action;
    const std::string first = argc > 1 ? argv[1] : "";
    add_commands(app, first, action);
    const auto named_so = [&first](const CLI::App* command) { return command->get_name() == first; };
    if (!first.starts_with('-') && app.get_subcommands(named_so).empty()) {
        return complain(command_wanted(app, first), 2);
    }
    try {
        app.parse(argc, argv);
        refuse_empty_numbers(app);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& fault) {
        return complain(sentence_of(app, fault), 2);
    }
    const int code = action();
    for (const CLI::App* command : app.get_subcommands()) say_fewer_threads(*command);
    return code;
}

}  // namespace
}  // namespace dunlin::app

namespace dunlin::app {
namespace {

int run_and_complain(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const Interrupted&) {
        return complain("interrupted before there was a result", interrupted);
    } catch (const Error& error) {
        return complain(with_flag(error), exit_code(error.fault()));
    } catch (const fs::filesystem_error& error) {
        return complain(
            fmt::format("cannot use '{}': {}; name another path", error.path1().string(), error.code().message()),
            exit_code(Fault::bad_file));
    } catch (const std::bad_alloc&) {
        return complain("out of memory; use fewer points or neighbors, or a larger machine", 5);
    } catch (const std::exception& error) {
        return complain(std::string("unexpected: ") + error.what(), 1);
    }
}

}  // namespace
}  // namespace dunlin::app

int main(int argc, char** argv) {
    using namespace dunlin;
    app::use_all_cores();
    app::open_standard_streams();
    const int code = app::run_and_complain(argc, argv);
    if (!app::output_is_complete() && code == app::done)
        return app::complain(
            "standard output cannot be written; free space on its disk, or name a file (--output, --report)", 3);
    return code == app::interrupted ? app::code_of_interrupt() : code;
}
