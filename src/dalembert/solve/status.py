"""How a time loop ended.  The compiled loop returns a number; its message is here."""

from __future__ import annotations

(
    DONE, BUDGET, BUFFER, REDETECT, STEP_TOO_SMALL, PROJECTION, NOT_FINITE, SWITCHED, CHATTERING, FULL, EVENT, METHOD, UNSOLVED, CROSSING, TURNED, TOO_MANY,
) = range(16)  # fmt: skip

MESSAGES = {
    DONE: "end time reached",
    BUDGET: "running",
    BUFFER: "running",
    REDETECT: "a constraint that was dependent is needed now",
    STEP_TOO_SMALL: "the step size became too small",
    PROJECTION: "the constraints could not be satisfied",
    NOT_FINITE: "the solution is no longer finite",
    SWITCHED: "running",
    CHATTERING: "a law jumps back and forth",
    CROSSING: "running",
    METHOD: "running",
    TURNED: "running",
    TOO_MANY: "events, contacts and friction follow each other too often within one step",
    UNSOLVED: "the equations of an implicit step could not be solved",
    FULL: "the memory for the steps asked for is full",
    EVENT: "an event changes the situation",
}
