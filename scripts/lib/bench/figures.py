"""Medians, ratios pair by pair, and their intervals by bootstrap."""

import random
import statistics

RESAMPLES = 2000
CONFIDENCE = 0.95


def interval(values):
    """Of the median, by bootstrap with a fixed seed; None for fewer than three values, which have none."""
    if len(values) < 3:
        return None
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    cut = int(RESAMPLES * (1 - CONFIDENCE) / 2)
    return medians[cut], medians[-1 - cut]


def compare(pairs, key):
    """Of [(untraced, traced)] runs, the figure `key`; None where no pair has it in both."""
    both = [(a[key], b[key]) for a, b in pairs if a.get(key) and b.get(key) is not None]
    if not both:
        return None
    ratios = [b / a for a, b in both]
    return {"pairs": len(both), "untraced": statistics.median(a for a, _ in both), "traced": statistics.median(b for _, b in both),
            "ratio": statistics.median(ratios), "interval": interval(ratios), "ratios": ratios}


def middle(runs, key):
    values = [run[key] for run in runs if run.get(key) is not None]
    return statistics.median(values) if values else None
