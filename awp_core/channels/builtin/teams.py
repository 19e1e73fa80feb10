"""`teams`: left for a bridge."""

from awp_core.channels.outbox import bridge

CHANNEL = bridge("teams", "Teams")
