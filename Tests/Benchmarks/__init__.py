"""How long things take and what they cost, each beside a baseline in the same run. Nothing here is asserted."""
