// SPDX-License-Identifier: Apache-2.0
// main() of every benchmark, which calls the benchmark's bench_main(). Errors are one sentence on stderr, with exit
// code 3 for a file that is missing or unusable, else the codes of the command (app/exit_code.hpp).
#include <cstdio>
#include <exception>

#include <dunlin/error.hpp>

#include "../app/exit_code.hpp"

int bench_main(int count, char** words);

int main(int count, char** words) {
    try {
        return bench_main(count, words);
    } catch (const dunlin::Error& error) {
        std::fprintf(stderr, "%s: %s\n", words[0], error.what());
        return dunlin::app::exit_code(error.fault());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", words[0], error.what());
        return 1;
    }
}
