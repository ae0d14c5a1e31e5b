// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dunlin::app {

/// A page that leads to an address with a token, readable by this user only: the token is in no list of processes.
class Redirect {
public:
    explicit Redirect(const std::string& address);
    ~Redirect();
    Redirect(const Redirect&) = delete;
    Redirect& operator=(const Redirect&) = delete;
    Redirect(Redirect&&) = delete;
    Redirect& operator=(Redirect&&) = delete;

    /// Opens it with the desktop's browser, if there is a desktop.
    void open() const;

private:
    std::string path_;
    bool made_ = false;
};

}  // namespace dunlin::app
