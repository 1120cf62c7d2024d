"""A made-up hospital-discharge table of any size, with its hierarchies and study file.

No person, place or hospital in it is real. Numpy and pyarrow are imported only when a
function is called, so importing this package costs next to nothing.
"""

from shoal.demo.hospital import hospital, write_hospital

__all__ = ["hospital", "write_hospital"]
