"""Step sizes: how long the next step is, after one that was accepted, rejected, or cut short."""

from __future__ import annotations

from ...kernels.compiler import kernel

# rounding of positions, relative to the model, that tolerances allow for; what a whole turn leaves of it (measured against 30 digits), as a multiple
ROUNDING, TURN = 5e-15, 2.0
# numbers of a state times steps, or outputs, between which Python is not entered: tenths of a second
AT_ONCE = 400_000


@kernel
def growth_of(error, before, limit, order):
    """Next step over this one, by the errors of this step and of the one before (proportional-integral control).

    Looking at both, it does not overshoot where a mechanism passes a fast position again and again: on the Andrews squeezer one
    attempt in twelve is rejected instead of one in four.  After a rejected attempt a step does not grow (limit = 1).
    """
    if error == 0.0:
        return limit
    return min(limit, max(0.333, 0.8 * error ** (-0.8 / order) * max(before, 1e-4) ** (0.3 / order)))


@kernel
def other_step(now, h):
    """Another step near a singular position: shorter and longer ones in turn.

    What is rejected there is mostly the rounding of a stage that came too close to the position; a step that is a little different
    puts its stages elsewhere, whereas ever shorter ones creep towards it.
    """
    if now.tries == 0:
        now.h_tried = h
    now.tries += 1
    power = (now.tries + 1) // 2
    return now.h_tried * (0.8**power if now.tries % 2 == 1 else 1.25**power)


@kernel
def unknown(now, mem):
    """What rounding e of positions leaves unknown of velocities near a singular position, e/s^2 of the largest: the smallest pivot is s^2; 0 where tolerances are wider."""
    largest, first = 0.0, mem.q.shape[0]
    for k in range(mem.v.shape[0]):
        largest = max(largest, abs(mem.v[k]) * now.allowance / mem.scale[first + k])
    noise = ROUNDING * now.largest_pivot / max(now.pivot, 1e-300)
    return noise * largest if noise * largest > now.atol + now.rtol * largest else 0.0


@kernel
def allow(now, mem, noise):
    """Velocities are not asked to be known better than to the noise, where motions nearly meet and no step goes over that.

    What is tolerated is a direction that is wrong while the motion turns, for as long as that takes: the way is wrong by e/s, and positions keep their tolerance.
    """
    wide, first = 1.0, mem.q.shape[0]
    # a power of two: weights come back to the last bit
    while wide * now.atol < noise and wide < 1e30:
        wide *= 2.0
    if wide != now.allowance:
        for k in range(mem.v.shape[0]):
            mem.scale[first + k] *= wide / now.allowance
        now.allowance = wide
    if noise > 0.0:
        now.blur = max(now.blur, TURN * ROUNDING * now.largest_pivot / max(now.pivot, 1e-300))


@kernel
def end_of_step(now):
    """Where the next attempt ends."""
    h = now.h
    if abs(h) > now.h_max:
        h = now.h_max if now.t_end >= now.t else -now.h_max
    t_new = now.t + h
    # a last step slightly longer is better than a tiny one after it
    if (t_new + 0.01 * h - now.t_end) * h >= 0.0 and not (now.cut and (t_new - now.t_end) * h < 0.0):
        t_new = now.t_end
    return t_new


@kernel
def with_outputs(now, out, n, t_new):
    """The end of a step that has at most so many outputs, of n numbers each, that Python is entered in time after it."""
    k = now.next_output + max(AT_ONCE // max(n, 1), 1)
    if k < out.times.shape[0] and (out.times[k] - t_new) * (out.times[k] - now.t) < 0.0:
        return out.times[k]
    return t_new


@kernel
def is_too_small(now, t_new):
    """Whether a step makes no progress."""
    h = t_new - now.t
    return (abs(h) < now.h_min and t_new != now.t_end and not now.cut) or now.t + h == now.t


@kernel
def after_rejection(now, h, error, order):
    """The next attempt, after one with an error that is too large or, NaN, one that failed; returns whether it is one near a singular position."""
    if error != error:
        now.bad += 1
        now.h = 0.25 * h
    else:
        now.h = h * max(0.2, 0.8 * error ** (-1.0 / order))
    now.again += 1
    if now.careful and now.tries < 12:
        now.h = other_step(now, h)
        return True
    return False


@kernel
def after_acceptance(now, h, error, order):
    """The next step, after one that was accepted."""
    now.h = h * growth_of(error, now.last_error, 1.0 if now.again else 6.0, order)
    now.last_error, now.again, now.tries = error, 0, 0


@kernel
def cut_short(now, h, x, length, found):
    """The next attempt ends at the fraction x of this one: at the switch `found`, or before a part of some length that was not seen."""
    if now.cuts == 0:
        now.h_uncut = h
    now.cuts += 1
    # derivatives are those along a step of another length, as after a rejection
    now.cut, now.pending, now.linear = 1, found, 0
    if length > 0.0:
        now.h_uncut = 0.5 * length * h
        now.h = x * h if x > 1e-3 * length else 0.5 * length * h
    else:
        now.h = x * h


@kernel
def after_implicit(now, h, error, order):
    """The next step of an implicit method, by the errors and lengths of this step and of the one before (Gustafsson's predictive control).

    A step that would be hardly longer stays as it is, and with it the factors of Newton's method.
    """
    factor = min(8.0, 0.9 * max(error, 1e-8) ** (-1.0 / order))
    if now.h_accepted != 0.0 and not now.again:
        factor = min(
            factor, factor * abs(h / now.h_accepted) * (max(now.last_error, 1e-2) / max(error, 1e-8)) ** (1.0 / order)
        )
    if now.again:
        factor = min(factor, 1.0)
    factor = max(factor, 0.2)
    now.h = h if 1.0 <= factor <= 1.2 else factor * h
    if now.h_hard > 0.0:
        # not at once as long again as a step that Newton's method did not solve
        now.h_hard *= 1.1
        if abs(now.h) > now.h_hard:
            now.h = now.h_hard if h > 0.0 else -now.h_hard
    now.h_accepted = h
    now.last_error, now.again, now.tries = error, 0, 0
    now.trouble = max(now.trouble - 1, 0)
