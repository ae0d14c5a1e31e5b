// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults.hpp"

/// HDF5's objects as C++ has them. HDF5 is not safe for threads: `Locked` serializes its users.
namespace dunlin::hdf5 {

/// Holds HDF5 for this thread, without the messages that it prints.
class Locked {
public:
    Locked();

private:
    std::lock_guard<std::mutex> held_;
    FaultScope faults_;
};

/// An identifier that is closed with it; invalid if below 0.
class Handle {
public:
    using Close = herr_t (*)(hid_t);
    Handle() = default;
    Handle(hid_t id, Close close) : id_(id), close_(close) {}
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    [[nodiscard]] hid_t id() const { return id_; }
    [[nodiscard]] explicit operator bool() const { return id_ >= 0; }

private:
    hid_t id_ = -1;
    Close close_ = nullptr;
};

/// A file; `name` is that of messages.
struct File {
    Handle handle;
    std::string name;
};

File open_file(const std::string& path, bool writes);

/// Where a path leads within its file.
struct Way {
    std::string path = {};  ///< without soft links; empty: there is no object
    bool leaves = false;    ///< through a link into another file
};
Way way_to(hid_t file, const std::string& path);

/// The same path; empty if there is no object. Throws Error{bad_file} for one in another file.
std::string path_within(const File& file, const std::string& path);

/// Whether there is something, which may be a link into another file.
bool has(hid_t file, const std::string& path);
/// Of an object within the file.
bool is_group(const File& file, const std::string& path);

/// An attribute of an object that is a text, some texts, or some integers; none if there is none such.
std::optional<std::string> text_attribute(const File& file, const std::string& path, const char* name);
std::vector<std::string> texts_attribute(const File& file, const std::string& path, const char* name);
std::vector<std::int64_t> integer_attribute(const File& file, const std::string& path, const char* name);

/// The path of the object that an attribute refers to; none if there is none such.
std::optional<std::string> reference_attribute(const File& file, const std::string& path, const char* name);

/// Names of the members of a group, in order of the name.
std::vector<std::string> members_of(const File& file, const std::string& path);

}  // namespace dunlin::hdf5
