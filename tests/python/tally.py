"""Tests that go on after something does not hold, and count it."""

failures = 0


def check(what, holds, shown=""):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}\n{shown}")
