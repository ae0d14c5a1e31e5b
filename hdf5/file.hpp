// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/fail.hpp"

/// HDF5's objects as C++ has them. HDF5 is not safe for threads: `Locked` serializes its users.
namespace dunlin::hdf5 {

/// Holds HDF5 for this thread, without the messages that it prints.
class Locked {
public:
    Locked();

private:
    std::lock_guard<std::mutex> held_;
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
    Handle& operator=(Handle&&) = delete;
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

bool has(hid_t group, const std::string& path);
bool is_group(const File& file, const std::string& path);

/// A dataset with its extents and the kind of its values.
struct Dataset {
    Handle handle;
    std::string title;  ///< "'file': /obs/label"
    std::vector<std::uint64_t> shape;
    H5T_class_t kind = H5T_NO_CLASS;

    [[nodiscard]] std::uint64_t count() const;
};

/// Throws Error{bad_file} if it is none, or cannot be read.
Dataset open_dataset(const File& file, const std::string& path);

/// All values of a dataset. Throws Error{bad_file} if they are of another kind, and Error{out_of_memory}.
std::vector<double> doubles_of(const Dataset& dataset);
std::vector<std::int64_t> integers_of(const Dataset& dataset);
std::vector<std::string> texts_of(const Dataset& dataset);

/// Rows [first, first + count) of a dataset of two axes (or one, of one column) as doubles.
void read_rows(const Dataset& dataset, std::uint64_t first, std::uint64_t count, double* out);

/// An attribute of an object that is a text, or some integers; none if there is none such.
std::optional<std::string> text_attribute(const File& file, const std::string& path, const char* name);
std::vector<std::int64_t> integer_attribute(const File& file, const std::string& path, const char* name);

/// Names of the members of a group, in order of the name.
std::vector<std::string> members_of(const File& file, const std::string& path);

}  // namespace dunlin::hdf5
