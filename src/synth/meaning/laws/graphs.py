"""Ranks, flows and layouts of graphs."""


@law("graphs", "the rank a page gets from the sum its neighbours send")
def page_rank(sent: rank_sum, damp: rank_damping, n: node_count) -> rank_score:
    return (1.0 - damp) / float(n) + damp * sent


@law("graphs", "the share of its rank that a page sends along each link, nothing from a page without links")
def rank_share(rank: rank_score, links: out_degree) -> rank_sum:
    if links == 0:
        return 0.0
    return rank / float(links)


@law("graphs", "the distance by an edge, when it is shorter")
def relax_edge(best: path_cost, via: path_cost, w: edge_weight) -> path_cost:
    return wp.min(best, via + w)


@law("graphs", "what is left of an edge's capacity, not below zero")
def residual_capacity(cap: capacity, flow: flow_amount) -> residual_flow:
    return wp.max(cap - flow, 0.0)


@law("graphs", "the repulsion of two nodes by Fruchterman and Reingold", needs=(d > 0.05,))
def layout_repulsion(k: ideal_length, d: distance) -> layout_force:
    return k * k / d


@law("graphs", "the attraction along an edge by Fruchterman and Reingold")
def layout_attraction(d: distance, k: ideal_length) -> layout_force:
    return d * d / k


@law("graphs", "how strongly the neighbours of a node are connected among themselves", needs=(2 * triangles <= degree * (degree - 1),))
def clustering_coefficient(triangles: triangle_count, degree: degree) -> ratio:
    pairs = 0.5 * float(degree) * float(degree - 1)
    return float(triangles) / pairs


@law("graphs", "the likeness of two nodes by shared neighbours", needs=(da + db - shared > 0, shared <= da, shared <= db))
def jaccard_similarity(shared: shared_count, da: degree, db: degree) -> similarity:
    return float(shared) / float(da + db - shared)


@law("graphs", "the weight of an edge in a normalised adjacency")
def symmetric_edge_weight(da: degree, db: degree) -> edge_weight:
    return 1.0 / wp.sqrt(float(da) * float(db))


@law("graphs", "the gain in modularity of putting a pair into one community")
def modularity_gain(w: edge_weight, ka: node_strength, kb: node_strength, total: total_weight) -> modularity:
    return w / (2.0 * total) - ka * kb / (4.0 * total * total)


@law("graphs", "the estimate that guides a search on a grid with eight neighbours")
def octile_heuristic(dx: grid_offset_x, dy: grid_offset_y) -> path_cost:
    a = wp.abs(dx)
    b = wp.abs(dy)
    low = wp.min(a, b)
    return a + b + (1.4142136 - 2.0) * low


@law("graphs", "the estimate that guides a search on a grid with four neighbours")
def manhattan_heuristic(dx: grid_offset_x, dy: grid_offset_y) -> path_cost:
    return wp.abs(dx) + wp.abs(dy)


@law("graphs", "the total cost of a search node")
def search_priority(g: path_cost, h: path_cost, weight: heuristic_weight) -> path_cost:
    return g + weight * h


@law("graphs", "the pheromone on an edge after a day")
def pheromone_update(level: pheromone, evaporate: evaporation, deposit: deposit) -> pheromone:
    return (1.0 - evaporate) * level + deposit


@law("graphs", "how much an ant likes an edge", needs=(d > 0.05,))
def ant_preference(level: pheromone, d: distance, alpha: trail_exponent, beta: visibility_exponent) -> preference:
    return wp.pow(level, alpha) * wp.pow(1.0 / d, beta)


@law("graphs", "the delay of a road with traffic, by the Bureau of Public Roads")
def road_delay(free: free_flow_time, flow: flow_amount, cap: capacity) -> travel_time:
    r = flow / cap
    r2 = r * r
    return free * (1.0 + 0.15 * r2 * r2)


@law("graphs", "the opinion of a node after listening to a neighbour it is close to")
def bounded_confidence(own: opinion, other: opinion, reach: tolerance_width, mu: influence) -> opinion:
    if wp.abs(other - own) > reach:
        return own
    return own + mu * (other - own)


@law("graphs", "the chance that a message passes at least one of a number of contacts")
def contagion_chance(p: probability, contacts: degree) -> probability:
    return 1.0 - wp.pow(1.0 - p, float(contacts))
