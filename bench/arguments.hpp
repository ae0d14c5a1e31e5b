// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <dunlin/run.hpp>

/// Command line of a benchmark: flags, each followed by its value, and names of cases.
namespace dunlin::bench {

struct Arguments {
    std::string commit = "unknown";  ///< --commit, for the rows
    std::string data;                ///< --data: the folder of real inputs; default: DUNLIN_DATA, else none
    int runs = 0;                    ///< --runs, number of runs for a median
    Device device = Device::cuda;    ///< --device cpu|cuda
    std::vector<std::string> cases;  ///< all arguments that are not flags

    /// True if a case is selected; without names all are.
    [[nodiscard]] bool wants(const std::string& name) const {
        return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
    }
};

/// Flags and their setters.
using Flags = std::map<std::string, std::function<void(const std::string&)>>;

/// `taken`: the flags above that a benchmark accepts; `own`: additional flags. Exits with code 2 for an unknown flag or
/// a missing value.
inline Arguments arguments_from(int count, char** words, const std::vector<std::string>& taken, int runs = 1,
                                Flags own = {}) {
    const char* folder = std::getenv("DUNLIN_DATA");
    Arguments given;
    given.data = folder != nullptr ? folder : "DUNLIN_DATA-is-not-set";
    given.runs = runs;
    const Flags shared{
        {"--commit", [&](const std::string& name) { given.commit = name; }},
        {"--data", [&](const std::string& place) { given.data = place; }},
        {"--runs", [&](const std::string& number) { given.runs = std::max(1, std::atoi(number.c_str())); }},
        {"--device", [&](const std::string& name) { given.device = name == "cpu" ? Device::cpu : Device::cuda; }}};
    for (const std::string& flag : taken) own[flag] = shared.at(flag);
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (!word.starts_with("--")) {
            given.cases.push_back(word);
            continue;
        }
        const auto flag = own.find(word);
        if (flag == own.end() || i + 1 == count) {
            const char* const wrong = flag == own.end() ? "is no flag of this benchmark" : "has no value";
            std::fprintf(stderr, "%s %s; the head of its source names them\n", word.c_str(), wrong);
            std::exit(2);
        }
        flag->second(words[++i]);
    }
    return given;
}

}  // namespace dunlin::bench
