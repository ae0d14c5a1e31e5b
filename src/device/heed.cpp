#include "device/heed.hpp"

namespace dunlin::device {

namespace {

thread_local const std::stop_token* heeded = nullptr;

}  // namespace

Heeding::Heeding(const std::stop_token& stop) : outer_(heeded) {
    if (stop.stop_possible()) heeded = &stop;
}

Heeding::~Heeding() { heeded = outer_; }

const std::stop_token* Heeding::current() { return heeded; }

void heed() {
    if (heeded != nullptr && heeded->stop_requested()) throw Cancelled{};
}

}  // namespace dunlin::device
