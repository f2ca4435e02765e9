"""Ranks, flows and layouts of graphs, from their definitions."""

import numpy as np


def page_rank(sent, damp, n):
    return damp * sent + 1 / n - damp / n


def rank_share(rank, links):
    return rank / links if links else 0.0


def relax_edge(best, via, w):
    return best if best <= via + w else via + w


def residual_capacity(cap, flow):
    return cap - min(flow, cap)


def layout_repulsion(k, d):
    return k**2 / d


def layout_attraction(d, k):
    return d**2 / k


def clustering_coefficient(triangles, degree):
    return 2 * triangles / (degree * (degree - 1))


def jaccard_similarity(shared, da, db):
    a, b = set(range(da)), set(range(da - shared, da - shared + db))
    return len(a & b) / len(a | b)


def symmetric_edge_weight(da, db):
    return da**-0.5 * db**-0.5


def modularity_gain(w, ka, kb, total):
    m2 = 2 * total
    return (w - ka * kb / m2) / m2


def octile_heuristic(dx, dy):
    a, b = sorted([abs(dx), abs(dy)])
    return a * np.sqrt(2) + (b - a)


octile_heuristic.tolerance = 1e-6


def manhattan_heuristic(dx, dy):
    return sum(map(abs, (dx, dy)))


def search_priority(g, h, weight):
    return np.dot([1, weight], [g, h])


def pheromone_update(level, evaporate, deposit):
    return level - evaporate * level + deposit


def ant_preference(level, d, alpha, beta):
    return level**alpha * d**-beta


def road_delay(free, flow, cap):
    return free * (1 + 0.15 * (flow / cap) ** 4)


def bounded_confidence(own, other, reach, mu):
    return (1 - mu) * own + mu * other if abs(own - other) <= reach else own


def contagion_chance(p, contacts):
    return -np.expm1(contacts * np.log1p(-p))
