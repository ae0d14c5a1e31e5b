// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "io/memory.hpp"

namespace dunlin::io {

/// An array that grows by realloc, which remaps large blocks in place of copying; new elements are not initialized.
template <class T>
class GrowableBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// what: name of the content in errors.
    explicit GrowableBuffer(std::string what) : what_(std::move(what)) {}
    ~GrowableBuffer() { std::free(data_); }
    GrowableBuffer(const GrowableBuffer&) = delete;
    GrowableBuffer& operator=(const GrowableBuffer&) = delete;

    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

    /// Reserves space for `count` more elements at the end, which the caller fills and then adds by add().
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

    /// Transfers ownership of the array, shrunk to its size.
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
        require_memory((wanted - capacity_) * sizeof(T), what_, capacity_ * sizeof(T));
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
