// SPDX-License-Identifier: Apache-2.0
#include "progress/file_mappings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <optional>
#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::progress {

namespace {

/// What the handler of SIGBUS knows of a mapping. Only it reads without the lock.
struct WatchedRange {
    std::atomic<std::uintptr_t> begin = 0, end = 0;
    std::atomic<bool> has_lost = false;  ///< a page
};

struct Mapped {
    int descriptor;
    FileVersion version;
    std::string name;
};

constexpr std::size_t most_mappings = 64;
std::array<WatchedRange, most_mappings> ranges;
std::array<std::optional<Mapped>, most_mappings> mapped;
std::mutex lock;
std::atomic<int> mappings = 0, scopes = 0;
thread_local int depth = 0;
thread_local std::string changed_file;  ///< of this scope, no longer mapped; empty: none

struct sigaction former = {};
bool is_installed = false;
std::uintptr_t page_size = 0;

/// Puts a page of zeros in place of a lost one. Async-signal-safe: mmap is a system call.
bool replace_page(void* fault) {
    const auto address = reinterpret_cast<std::uintptr_t>(fault);
    for (WatchedRange& range : ranges) {
        if (address < range.begin || address >= range.end) continue;
        void* const page = static_cast<char*>(fault) - address % page_size;
        range.has_lost = true;
        return ::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
    const int kept = errno;
    const bool is_ours = info->si_code == BUS_ADRERR && scopes > 0 && replace_page(info->si_addr);
    errno = kept;
    if (is_ours) return;
    if ((former.sa_flags & SA_SIGINFO) != 0) {
        former.sa_sigaction(signal, info, context);
    } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
        former.sa_handler(signal);
    } else {
        ::sigaction(signal, &former, nullptr);  // the fault comes again, and ends the process
    }
}

bool is_handler(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault;
}

void install() {
    if (is_installed) return;
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    is_installed = ::sigaction(SIGBUS, nullptr, &former) == 0 && ::sigaction(SIGBUS, &action, nullptr) == 0;
}

/// Leaves the handler if another one was put over it, which may call it.
void uninstall() {
    struct sigaction now = {};
    if (!is_installed || ::sigaction(SIGBUS, nullptr, &now) != 0 || !is_handler(now)) return;
    ::sigaction(SIGBUS, &former, nullptr);
    is_installed = false;
}

bool has_changed(std::size_t slot) {
    return ranges[slot].has_lost || !(FileVersion(mapped[slot]->descriptor) == mapped[slot]->version);
}

}  // namespace

FileVersion::FileVersion(int descriptor) {
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) return;
    size_ = status.st_size;
    seconds_ = status.st_mtim.tv_sec;
    nanoseconds_ = status.st_mtim.tv_nsec;
}

void refuse_changed(const std::string& name) {
    throw Error(Fault::bad_file,
                "'" + name + "' was written to or cut short while it was in use; run again when it is complete",
                {.file = name});
}

WatchedMapping::WatchedMapping(const char* begin, std::size_t length, int descriptor, const FileVersion& version,
                               std::string name) {
    const std::lock_guard held(lock);
    for (std::size_t slot = 0; slot < most_mappings && slot_ < 0; ++slot) {
        if (!mapped[slot]) slot_ = static_cast<int>(slot);
    }
    const int own = slot_ < 0 ? -1 : ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) {
        slot_ = -1;
        return;
    }
    const auto slot = static_cast<std::size_t>(slot_);
    mapped[slot] = Mapped{own, version, std::move(name)};
    ranges[slot].has_lost = false;
    ranges[slot].begin = reinterpret_cast<std::uintptr_t>(begin);
    ranges[slot].end = reinterpret_cast<std::uintptr_t>(begin) + length;
    ++mappings;
    install();
}

WatchedMapping::~WatchedMapping() {
    if (slot_ < 0) return;
    const std::lock_guard held(lock);
    const auto slot = static_cast<std::size_t>(slot_);
    if (depth > 0 && has_changed(slot)) changed_file = mapped[slot]->name;
    ranges[slot].end = 0;
    ::close(mapped[slot]->descriptor);
    mapped[slot].reset();
    if (--mappings == 0) uninstall();
}

UseOfMappings::UseOfMappings() {
    ++scopes;
    if (depth++ == 0) changed_file.clear();
}

UseOfMappings::~UseOfMappings() {
    --scopes;
    --depth;
}

void UseOfMappings::require_unchanged() const {
    if (!changed_file.empty()) refuse_changed(changed_file);
    if (mappings == 0) return;
    std::string name;
    {
        const std::lock_guard held(lock);
        for (std::size_t slot = 0; slot < most_mappings; ++slot) {
            if (mapped[slot] && has_changed(slot)) name = mapped[slot]->name;
        }
    }
    if (!name.empty()) refuse_changed(name);
}

}  // namespace dunlin::progress
