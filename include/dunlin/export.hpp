// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library is built with hidden visibility: only what carries DUNLIN_API can be named by a caller.
#define DUNLIN_API __attribute__((visibility("default")))
