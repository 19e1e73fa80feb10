"""When a failed attempt is repeated, and how long to wait (spec 02, Failure rule)."""

from __future__ import annotations

from dataclasses import dataclass

from awp_core.manifest.models import MAX_DELAY_S, MAX_RETRIES, Retry


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """A node's retry block with its limits applied; the seed's spelling wins over the documents'.

    Attributes:
        retries: Attempts after the first, at most 10.
        interval_s: Seconds before the first repetition.
        growth: How the wait grows: `fixed`, `linear` or `exponential`.
        cap_s: Longest wait in seconds, at most 60.
        only: Error kinds to repeat; empty for all.
        never: Error kinds not to repeat.
    """

    retries: int = 0
    interval_s: float = 0.0
    growth: str = "fixed"
    cap_s: float = MAX_DELAY_S
    only: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()

    @classmethod
    def of(cls, retry: Retry) -> RetryPolicy:
        """Read a policy; values beyond the limits are clamped (rule N8 reports them)."""
        retries = retry.max_retries if retry.max_retries is not None else (retry.max_attempts or 1) - 1
        growth = retry.backoff or "fixed"
        interval = retry.retry_interval_s if retry.retry_interval_s is not None else retry.backoff_base
        if interval is None:
            interval = 0.0 if retry.backoff is None else 1.0
        cap = MAX_DELAY_S if retry.backoff_max is None else min(retry.backoff_max, MAX_DELAY_S)
        return cls(
            min(retries, MAX_RETRIES), min(interval, MAX_DELAY_S), growth, cap,
            frozenset(retry.retryable_errors), frozenset(retry.non_retryable_errors),
        )  # fmt: skip

    def repeats(self, attempt: int, kind: str) -> bool:
        """Whether to go on after `attempt` (from 1) failed with an error of `kind`, such as `CodeError`."""
        if attempt > self.retries or kind in self.never:
            return False
        return not self.only or kind in self.only

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after `attempt` (from 1).

        >>> [RetryPolicy(3, 1.0, "exponential").delay(n) for n in (1, 2, 3)]
        [1.0, 2.0, 4.0]
        """
        factors = {"fixed": 1.0, "linear": float(attempt), "exponential": 2.0 ** (attempt - 1)}
        return min(self.interval_s * factors[self.growth], self.cap_s)
