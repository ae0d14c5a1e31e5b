// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/law.hpp"

namespace dunlin::tsne {

/// Calls with(law) with the law of this many degrees of freedom: one needs no powers.
template <class With>
auto with_law(float freedom, const With& with) {
    if (freedom == 1) return with(forces::StudentT());
    return with(forces::GeneralStudentT{freedom});
}

}  // namespace dunlin::tsne
