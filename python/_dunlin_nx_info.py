# SPDX-License-Identifier: Apache-2.0
"""What NetworkX wants to know of the backend when it is imported; imports nothing."""


def info():
    return {
        "backend_name": "dunlin",
        "project": "dunlin-maps",
        "package": "dunlin",
        "short_summary": "Force-directed layouts in C++",
        "functions": {
            "forceatlas2_layout": {"additional_docs": "Parallel on CPU threads; the same for any number of them."}
        },
    }
