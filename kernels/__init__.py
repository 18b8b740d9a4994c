"""The lecture's GPU kernels: references, teaching and fast versions, their check, benchmark and PTX."""
