# SPDX-License-Identifier: MIT
"""gpusort past one machine: sorts and indexes on a Ray cluster. `gpusort-ray --help`."""

__version__ = "0.1.0"
