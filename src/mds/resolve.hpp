#pragma once

#include <dunlin/mds.hpp>

namespace dunlin::mds {

/// The options with every rule resolved for these items. Throws Error{bad_input} for values that cannot be, for what
/// the method does not look at, and for a start or weights that do not fit.
Options resolve(const Dissimilarities& items, Options options, const Given& given);

}  // namespace dunlin::mds
