"""Graphs, trees, tables and lists: traversals, relaxations, searches, sorting networks."""


@scene("control_flow", "nested_loop", "integer", query,
       says="walks a binary tree of boxes with a stack and counts the leaves that contain each query point",
       title="query_bvh|traverse_tree|count_overlaps", algorithm="stack-based tree traversal")
def bvh_query(p: each(position, range=(-1.0, 1.0)), lower: each(box_lower, node), upper: each(box_upper, node), pad: maybe(setting(distance, 0.05, 0.4), 0.5), limit: maybe(setting(count_value, 3, 8), 0.3), hits: out(count_value), visited: maybe(out(count_value), 0.4)):
    names(stack="stack|todo|pending", top="top|depth|sp", n="n|current|node_id", q="q|point|pt", found="found|inside|num_hits", seen="seen|steps|touched")
    i = wp.tid()
    q = p[i]
    stack = wp.zeros(shape=32, dtype=int)
    top = int(1)
    found = int(0)
    if present(visited):
        seen = int(0)
    while top > 0:
        top -= 1
        n = stack[top]
        if present(visited):
            seen += 1
        if present(pad):
            if q[0] < lower[n][0] - pad or q[1] < lower[n][1] - pad or q[2] < lower[n][2] - pad:
                continue
            if q[0] > upper[n][0] + pad or q[1] > upper[n][1] + pad or q[2] > upper[n][2] + pad:
                continue
        else:
            if q[0] < lower[n][0] or q[1] < lower[n][1] or q[2] < lower[n][2]:
                continue
            if q[0] > upper[n][0] or q[1] > upper[n][1] or q[2] > upper[n][2]:
                continue
        note("children of node n are 2 n + 1 and 2 n + 2|complete binary tree in breadth-first order")
        if 2 * n + 2 < count(node):
            stack[top] = 2 * n + 1
            stack[top + 1] = 2 * n + 2
            top += 2
        else:
            found += 1
            if present(limit):
                if found >= limit:
                    break
    hits[i] = found
    if present(visited):
        visited[i] = seen


@scene("atomic", "integer", "control_flow", edge,
       says="relaxes each edge of a graph: the cost of its target is lowered if the way over this edge is shorter",
       title="relax_edges|bellman_ford|sssp_relax", algorithm="Bellman-Ford relaxation", rare=True, lossy=True)
def relax_edges(ends: index(node, 2), w: each(edge_weight), cost: each(path_cost, node), best: inout(path_cost, node)):
    names(u="u|src|from_id|a", v="v|dst|to_id|b", via="via|through|alt|cand")
    e = wp.tid()
    u = ends[e, 0]
    v = ends[e, 1]
    if u == v:
        return
    via = cost[u] + w[e]
    if via < cost[v]:
        note("several edges may reach the same node|keep the smallest")
        wp.atomic_min(best, v, via)
    if maybe(0.4, "both"):
        note("the edge can be used both ways|undirected graph")
        fact("edges can be used both ways")
        via = cost[v] + w[e]
        if via < cost[u]:
            wp.atomic_min(best, u, via)


@scene("reduction", "nested_loop", "arithmetic", node,
       says="takes one step of PageRank: each node gathers the rank of the nodes that link to it",
       title="pagerank_step|gather_rank|rank_iteration", algorithm="PageRank")
def pagerank(start: offsets(edge), src: index(node, over=edge), rank: each(rank_score), deg: each(out_degree, node, range=(1, 8)), damp: setting(rank_damping), rank_out: out(rank_score), change: maybe(add(rank_score, 1), 0.5)):
    names(acc="acc|total|incoming|mass_in", k="k|e|j|nz", s="s|u|nb|from_id", new="new|r|updated|next_rank")
    n = wp.tid()
    acc = float(0.0)
    for k in range(start[n], start[n + 1]):
        s = src[k]
        acc += rank[s] / float(deg[s])
    note("random jumps reach every node alike|teleport term")
    new = (1.0 - damp) / float(count(node)) + damp * acc
    rank_out[n] = new
    if present(change):
        note("sum of the changes, to see when it has settled|L1 residual")
        wp.atomic_add(change, 0, wp.abs(new - rank[n]))


@scene("integer", "control_flow", "nested_loop", segment,
       says="sorts the few values of each row by insertion",
       title="sort_rows|insertion_sort|sort_small_rows", algorithm="insertion sort", lossy=True)
def insertion_sort(x: inout(value, segment, 8), low: maybe(out(value), 0.5), med: maybe(out(value), 0.5)):
    names(j="j|b|pos", key="key|v|cur", a="a|k|first")
    s = wp.tid()
    for a in range(1, 8):
        key = x[s, a]
        j = a - 1
        note("shift larger values to the right|make room")
        while j >= 0:
            if x[s, j] <= key:
                break
            x[s, j + 1] = x[s, j]
            j -= 1
        x[s, j + 1] = key
    if present(low):
        low[s] = x[s, 0]
    if present(med):
        med[s] = 0.5 * (x[s, 3] + x[s, 4])


@scene("control_flow", "math", "scalar_param", query,
       says="looks up each value in a table with uneven steps and interpolates between its neighbours",
       title="table_lookup|interpolate_table|lookup_curve", algorithm="piecewise linear interpolation", lossy=True)
def table_lookup(x: each(value), step: each(positive_value, bin, range=(0.2, 1.0)), y: each(field_value, bin), x0: setting(value, -1.8, -1.2), val: out(field_value), slope_out: maybe(out(curvature), 0.4)):
    names(left="left|lo|a|knot", k="k|cell|slot|b", t="t|frac|u|alpha", q="q|xi|at|arg")
    i = wp.tid()
    q = x[i]
    note("before the first knot the curve is constant|clamp on the left")
    if q <= x0:
        val[i] = y[0]
        if present(slope_out):
            slope_out[i] = 0.0
        return
    left = float(x0)
    for k in range(count(bin) - 1):
        note("is it in this interval?")
        if q < left + step[k]:
            t = (q - left) / step[k]
            val[i] = y[k] + t * (y[k + 1] - y[k])
            if present(slope_out):
                slope_out[i] = (y[k + 1] - y[k]) / step[k]
            return
        left += step[k]
    val[i] = y[count(bin) - 1]


@scene("reduction", "integer", "nested_loop", row,
       says="finds the k largest scores of each row by keeping a short sorted list",
       title="top_k|select_top|row_topk", algorithm="top-k selection", lossy=True)
def top_k(x: each(score, row, column), floor: maybe(setting(score, -2.5, -1.5), 0.3), best: out(score, row, 4), ids: maybe(out(index_value, row, 4), 0.7)):
    names(v="v|s|cand|val_c", k="k|slot|p|place")
    r = wp.tid()
    for k in range(4):
        if present(floor):
            best[r, k] = floor
        else:
            best[r, k] = constant("LOWEST|NEG_INF|MIN_SCORE", -1.0e6)
        if present(ids):
            ids[r, k] = -1
    for c in range(count(column)):
        v = x[r, c]
        note("smaller than all that are kept|cannot enter the list")
        if v <= best[r, 3]:
            continue
        k = int(3)
        while k > 0:
            if best[r, k - 1] >= v:
                break
            best[r, k] = best[r, k - 1]
            if present(ids):
                ids[r, k] = ids[r, k - 1]
            k -= 1
        best[r, k] = v
        if present(ids):
            ids[r, k] = c


@scene("ml", "nested_loop", "reduction", sample,
       says="assigns each sample to the nearest cluster centre and adds it to the sums of that cluster",
       title="kmeans_assign|assign_clusters|nearest_centroid", algorithm="k-means assignment", rare=True)
def kmeans(x: each(vector4), centre: each(vector4, cluster), who: out(label), total: maybe(add(vector4, cluster), 0.6), members: maybe(add(count_value, cluster), 1.0), cost: maybe(add(loss, 1), 0.4)):
    names(best="best|d_min|nearest_sq|closest", pick="pick|winner|k_best|cls", d="d|d2|dist_sq|gap_sq", diff="diff|off|rel|delta")
    i = wp.tid()
    pick = int(0)
    best = wp.dot(x[i] - centre[0], x[i] - centre[0])
    for k in range(1, count(cluster)):
        diff = x[i] - centre[k]
        d = wp.dot(diff, diff)
        if d < best:
            best = d
            pick = k
    who[i] = pick
    if present(total):
        wp.atomic_add(total, pick, x[i])
    if present(members):
        wp.atomic_add(members, pick, 1)
    if present(cost):
        wp.atomic_add(cost, 0, best)
