#!/usr/bin/env python3
"""Seconds that HiGHS takes for one all-VLB shift pattern, beside `cargo bench --bench throughput`.

Needs `pip install scipy`. The program is built here from the definitions, path by path and
independently of the Rust code: arrangement `absolute`, paths counted as triples, one variable for
each flow, kind and hop count.   tests/bench/highs_reference.py [g ...]
"""
import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def absolute(a, h, g):
    """Cables as pairs of switches, by the rule of the arrangement `absolute`."""
    laid, cables = [0] * (a * g), []
    group, index, idle = 1, 0, 0
    for source in range(a * g):
        while laid[source] < h and idle < a * g:
            target = group * a + index
            if group != source // a and laid[target] < h:
                cables.append((source, target))
                laid[source] += 1
                laid[target] += 1
                idle = 0
            else:
                idle += 1
            group += 1
            if group == g:
                group, index = 0, (index + 1) % a
    return cables


def legs(links, a, s, d):
    """MIN paths from s to d as lists of links; a link is (from, to, cable or -1)."""
    if s // a == d // a:
        return [[(s, d, -1)] if s != d else []]
    paths = []
    for u, v, cable in links[s // a][d // a]:
        head = [(s, u, -1)] if s != u else []
        tail = [(v, d, -1)] if v != d else []
        paths.append(head + [(u, v, cable)] + tail)
    return paths


def solve(p, a, h, g, shift_groups, shift_switches):
    links = [[[] for _ in range(g)] for _ in range(g)]
    for cable, (u, v) in enumerate(absolute(a, h, g)):
        links[u // a][v // a].append((u, v, cable))
        links[v // a][u // a].append((v, u, cable))
    numbers, rows, columns, values = {}, [], [], []
    flows = []  # for each flow: (column, paths, hops, is VLB)
    column = 1  # column 0 is x
    for s in range(a * g):
        i, j = divmod(s, a)
        d = (i + shift_groups) % g * a + (j + shift_switches) % a
        classes = {}
        for path in legs(links, a, s, d):
            classes.setdefault((0, len(path)), []).append(path)
        for r in range(a * g):
            if r // a in (s // a, d // a):
                continue
            second = legs(links, a, r, d)
            for one in legs(links, a, s, r):
                for other in second:
                    path = one + other
                    classes.setdefault((1, len(path)), []).append(path)
        flow = []
        for (kind, hops), paths in sorted(classes.items()):
            uses = {}
            for path in paths:
                for link in path:
                    uses[link] = uses.get(link, 0) + 1
            for link, count in uses.items():
                rows.append(numbers.setdefault(link, len(numbers)))
                columns.append(column)
                values.append(count)
            flow.append((column, len(paths), hops, kind))
            column += 1
        flows.append(flow)
    row, right = len(numbers), [1.0] * len(numbers)
    for flow in flows:
        rows.append(row), columns.append(0), values.append(p)
        for c, count, _, _ in flow:
            rows.append(row), columns.append(c), values.append(-count)
        row += 1
        right.append(0.0)
        vlb = [c for c, _, _, kind in flow if kind == 1]
        for shorter, longer in zip(vlb, vlb[1:]):
            rows.extend([row, row]), columns.extend([longer, shorter]), values.extend([1, -1])
            row += 1
            right.append(0.0)
    matrix = coo_matrix((values, (rows, columns)), shape=(row, column)).tocsc()
    cost = np.zeros(column)
    cost[0] = -1
    bounds = [(0, 1)] + [(0, None)] * (column - 1)
    start = time.perf_counter()
    result = linprog(cost, A_ub=matrix, b_ub=right, bounds=bounds, method="highs-ipm")
    return -result.fun, time.perf_counter() - start


if __name__ == "__main__":
    for g in [int(word) for word in sys.argv[1:]] or [9, 17, 33]:
        x, seconds = solve(4, 8, 4, g, 2, 1)
        print(f"dfly(4,8,4,{g}) all VLB, shift(2,1): x = {x:.6f}, {seconds:.3f} s in HiGHS")
