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

/// The words that a benchmark is called with: flags, each followed by its value, and names of cases.
namespace dunlin::bench {

struct Arguments {
    std::string commit = "unknown";  ///< --commit, for the rows
    std::string data;                ///< --data: the folder of real inputs; default: DUNLIN_DATA, else none
    int runs = 0;                    ///< --runs, of which a median is taken
    Device device = Device::cuda;    ///< --device cpu|cuda
    std::vector<std::string> cases;  ///< all that is no flag

    /// Whether a case is asked for; where none is named, all are.
    [[nodiscard]] bool wants(const std::string& name) const {
        return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
    }
};

/// Flags, and what is done with their values.
using Flags = std::map<std::string, std::function<void(const std::string&)>>;

/// `taken`: which of the flags above a benchmark takes; `own`: those that it has beside them. Ends the program with 2
/// where a flag is another, or has no value.
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
