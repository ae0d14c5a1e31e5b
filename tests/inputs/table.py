# SPDX-License-Identifier: Apache-2.0
"""All checks of tests/inputs: importing this module registers them."""

import adapters  # noqa: F401
import annotated  # noqa: F401
import distances  # noqa: F401
import edge_faults  # noqa: F401
import edge_shapes  # noqa: F401
import estimators  # noqa: F401
import far_from_zero  # noqa: F401
import far_maps  # noqa: F401
import frames  # noqa: F401
import given  # noqa: F401
import graph_arguments  # noqa: F401
import graphs  # noqa: F401
import guesses_said  # noqa: F401
import habits  # noqa: F401
import map_tables  # noqa: F401
import masked_arrays  # noqa: F401
import matching  # noqa: F401
import missing  # noqa: F401
import named_rows  # noqa: F401
import node_masks  # noqa: F401
import node_names  # noqa: F401
import odd_cells  # noqa: F401
import pandas_tables  # noqa: F401
import parallel  # noqa: F401
import representation  # noqa: F401
import round_trips  # noqa: F401
import row_names  # noqa: F401
import scaling  # noqa: F401
import starts  # noqa: F401
import statistical  # noqa: F401
import steps  # noqa: F401
import tables  # noqa: F401
import tracks  # noqa: F401
import vectors  # noqa: F401
import wave_arguments  # noqa: F401
