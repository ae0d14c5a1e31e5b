// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <dunlin/outputs.hpp>

namespace dunlin::hdf5 {

namespace {

constexpr std::array signals{SIGSEGV, SIGFPE, SIGABRT};  ///< SIGABRT: of a heap that was overwritten
std::array<struct sigaction, signals.size()> former{};
alignas(std::max_align_t) std::array<char, 1 << 16> stack;  ///< a deep recursion leaves none
std::array<char, 4096> sentence{};
pthread_t user;  ///< of HDF5, which has one at a time

void on_fault(int signal, siginfo_t* info, void* context) {
    constexpr int bad_file = 3;  // the exit code
    if (pthread_equal(user, pthread_self()) != 0) {
        [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, sentence.data(), std::strlen(sentence.data()));
        remove_unfinished_outputs();
        _exit(bad_file);
    }
    const auto number = static_cast<std::size_t>(std::find(signals.begin(), signals.end(), signal) - signals.begin());
    const struct sigaction& before = former[number];
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else {
        ::sigaction(signal, &before, nullptr);  // the fault comes again
    }
}

}  // namespace

FaultScope::FaultScope() {
    user = pthread_self();
    sentence[0] = '\0';
    const stack_t own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
    ::sigaltstack(&own, &former_stack_);
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (std::size_t s = 0; s < signals.size(); ++s) ::sigaction(signals[s], &action, &former[s]);
}

FaultScope::~FaultScope() {
    for (std::size_t s = 0; s < signals.size(); ++s) ::sigaction(signals[s], &former[s], nullptr);
    ::sigaltstack(&former_stack_, nullptr);
}

void FaultScope::name(const char* file) {
    constexpr std::size_t longest = 3000;
    std::string_view text(file);
    std::string words = "dunlin: '";
    for (const char c : text.substr(0, longest)) words += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    words += "' is damaged where HDF5 itself does not look, and ended the program; save the file again\n";
    *std::copy(words.begin(), words.end(), sentence.begin()) = '\0';
}

}  // namespace dunlin::hdf5
