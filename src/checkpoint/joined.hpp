// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dunlin::checkpoint {

/// During its lifetime, the first method that this thread calls without a checkpoint does not hide the session in which
/// it is called: the loops of that method are loops of that session.
class Joined {
public:
    Joined();
    ~Joined();
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;
    Joined(Joined&&) = delete;
    Joined& operator=(Joined&&) = delete;
};

}  // namespace dunlin::checkpoint
