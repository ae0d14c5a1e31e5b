// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dunlin::app {

/// Ends what start.cpp did before the libraries were loaded: the process may use all of its cores again. Call first.
void use_all_cores();

}  // namespace dunlin::app
