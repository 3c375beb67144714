"""Writes statistics_cases.h: samples with the answers of scipy, which the tests do not need to have.

    python3 make_statistics_cases.py > statistics_cases.h
"""

import numpy
import scipy
from scipy import stats

MS = 1_000_000


def latencies(generator, count, median_ms, spread):
    """As first requests are: a long right tail."""
    return [int(value) for value in median_ms * MS * generator.lognormal(0, spread, count)]


def samples():
    generator = numpy.random.default_rng(7)
    yield "three of each, apart", [451 * MS, 398 * MS, 581 * MS], [97 * MS, 112 * MS, 136 * MS]
    yield "four of each, apart", [5, 6, 7, 8], [1, 2, 3, 4]
    yield "one of each", [451 * MS], [330 * MS]
    yield "interlaced", [1, 3, 5, 7, 9], [2, 4, 6, 8, 10]
    yield "unequal sizes", [12, 15, 11, 19, 23, 14, 17], [16, 21, 25]
    yield "the same values", [4, 4, 4, 4], [4, 4, 4, 4]
    yield "ties within and between", [1, 2, 2, 3, 5, 5, 8], [2, 3, 3, 5, 9, 9, 9, 10]
    yield "many ties", [10] * 8 + [11] * 4, [10] * 3 + [11] * 6 + [12] * 3
    yield "ten, slightly apart", latencies(generator, 10, 450, 0.1), latencies(generator, 10, 420, 0.1)
    yield "ten, far apart", latencies(generator, 10, 450, 0.1), latencies(generator, 10, 112, 0.1)
    yield "twenty of each", latencies(generator, 20, 450, 0.15), latencies(generator, 20, 430, 0.15)
    yield "thirty of each, approximated", latencies(generator, 30, 450, 0.15), latencies(generator, 30, 400, 0.15)
    yield "five against thirty", latencies(generator, 5, 450, 0.15), latencies(generator, 30, 500, 0.15)


def mann_whitney(left, right):
    values = left + right
    is_exact = len(set(values)) == len(values) and max(len(left), len(right)) <= 20
    if len(set(values)) == 1:
        return 1.0
    return stats.mannwhitneyu(left, right, alternative="two-sided", method="exact" if is_exact else "asymptotic").pvalue


def interval(left, right):
    generator = numpy.random.default_rng(11)
    change = [numpy.median(generator.choice(right, len(right))) / numpy.median(generator.choice(left, len(left))) - 1
              for _ in range(40000)]
    # Medians of few values are steps: the end of an interval is known up to the quantiles beside it.
    return numpy.percentile(change, [2, 3, 97, 98])


def real(value):
    return repr(float(value))


print(f"/* Samples with the answers of scipy {scipy.__version__}; made by make_statistics_cases.py. */")
print("#pragma once\n")
print("#include <stddef.h>\n#include <stdint.h>\n")
print("struct statistics_case {\n\tconst char *name;\n\tint64_t left[30], right[30];\n\tsize_t left_count, right_count;\n"
      "\tdouble left_median, left_mean, left_deviation, p_value;\n"
      "\tdouble low_least, low_most, high_least, high_most;\n};\n")
print("static const struct statistics_case statistics_cases[] = {")
for name, left, right in samples():
    ends = interval(left, right)
    print(f'\t{{"{name}",')
    print(f"\t {{{', '.join(map(str, left))}}},")
    print(f"\t {{{', '.join(map(str, right))}}},")
    deviation = numpy.std(left, ddof=1) if len(left) > 1 else 0
    print(f"\t {len(left)}, {len(right)}, {real(numpy.median(left))}, {real(numpy.mean(left))}, {real(deviation)},")
    print(f"\t {real(mann_whitney(left, right))}, {', '.join(map(real, ends))}}},")
print("};")
