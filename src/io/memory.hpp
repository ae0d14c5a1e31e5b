// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace dunlin::io {

/// Throws Error{out_of_memory} if `bytes` for `what` cannot be had. Small requests are not looked at.
void want_memory(std::uint64_t bytes, const std::string& what);

/// The most that want_memory grants, for fuzzers; 0: what the machine has free.
void limit_memory(std::uint64_t bytes);

/// An array that grows by realloc: large blocks are moved by the page table, not copied, and are never cleared first.
template <class T>
class Growing {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// what: named when memory runs out.
    explicit Growing(std::string what) : what_(std::move(what)) {}
    ~Growing() { std::free(data_); }
    Growing(const Growing&) = delete;
    Growing& operator=(const Growing&) = delete;

    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

    /// Room for `count` more at the end, for the caller to fill and then `add`.
    T* room(std::size_t count) {
        if (capacity_ - size_ < count) grow(size_ + count);
        return data_ + size_;
    }
    void add(std::size_t count) { size_ += count; }
    void clear() { size_ = 0; }
    void push_back(T value) {
        *room(1) = value;
        ++size_;
    }

    /// Hands the array over; what was not used is given back.
    std::shared_ptr<T> release() {
        if (size_ > 0 && size_ < capacity_) {
            if (void* shrunk = std::realloc(data_, size_ * sizeof(T))) data_ = static_cast<T*>(shrunk);
        }
        std::shared_ptr<T> owner(data_, [](T* p) { std::free(p); });
        data_ = nullptr;
        size_ = capacity_ = 0;
        return owner;
    }

private:
    void grow(std::size_t least) {
        std::size_t wanted = capacity_ + capacity_ / 2;
        if (wanted < least) wanted = least;
        if (wanted < 64) wanted = 64;
        want_memory((wanted - capacity_) * sizeof(T), what_);
        void* grown = std::realloc(data_, wanted * sizeof(T));
        if (grown == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(grown);
        capacity_ = wanted;
    }

    std::string what_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace dunlin::io
