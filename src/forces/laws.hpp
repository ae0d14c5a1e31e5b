// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/law.hpp"

/// The laws for which the exact sum and the tree are compiled, on both devices: apply(Law) for each.
#define DUNLIN_LAWS(apply)                                                                         \
    apply(StudentT) apply(GeneralStudentT) apply(Fuzzy) apply(FurtherPairs) apply(InversePower<1>) \
        apply(InversePower<2>) apply(InversePower<3>)
