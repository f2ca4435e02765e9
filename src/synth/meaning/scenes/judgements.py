"""Rows judged by one number, shapes that touch, and machines that go through states."""


@scene("reduction", "control_flow", "integer", "nested_loop", row,
       says="finds for each picture the grey level that divides its histogram best into dark and bright, by Otsu's method{share_out:, with the share of bright pixels}{gap_out:, and the distance of the two means}",
       title="otsu_threshold|otsu_levels|split_histogram|threshold_images", algorithm="Otsu's threshold", topic="")
def otsu_threshold(hist: each(count_value, row, 16, range=(1, 40)), floor_: maybe(setting(count_value, 2, 8), 0.3), level_out: out(index_value), share_out: maybe(out(ratio), 0.6), gap_out: maybe(out(value), 0.5), between_out: maybe(out(value), 0.4), flat: maybe(add(count_value, 1), 0.3)):
    names(total="total|num_pixels", mass="mass|weighted_sum", w0="w0|dark_count", w1="w1|bright_count", s0="s0|dark_sum", m0="m0|dark_mean", m1="m1|bright_mean", between="between|variance_between", best="best|best_var", at="at|threshold", h="h|bin_count", dark="dark|best_dark", gap="gap|best_gap")
    names(hist="hist|histograms", floor_="floor_count|noise_floor", level_out="level_out|thresholds", share_out="share_out|bright_share", gap_out="gap_out|mean_gap", between_out="between_out|separability", flat="flat|num_flat")
    r = wp.tid()
    total = float(0.0)
    mass = float(0.0)
    for b in range(16):
        h = hist[r, b]
        if present(floor_):
            if h < floor_:
                h = 0
        total += float(h)
        mass += float(h) * float(b)
    w0 = float(0.0)
    s0 = float(0.0)
    best = float(-1.0)
    at = int(0)
    dark = float(0.0)
    gap = float(0.0)
    for b in range(15):
        h = hist[r, b]
        if present(floor_):
            if h < floor_:
                h = 0
        w0 += float(h)
        s0 += float(h) * float(b)
        w1 = total - w0
        note("one of the classes is empty")
        if w0 < 0.5 or w1 < 0.5:
            continue
        m0 = s0 / w0
        m1 = (mass - s0) / w1
        match choose("form"):
            case 2:
                between = w0 * w1 * (m1 - m0) * (m1 - m0)
            case 1:
                between = w0 / total * (w1 / total) * (m1 - m0) * (m1 - m0)
        if between > best * constant("MARGIN|CLEARLY", 1.0001):
            best = between
            at = int(b)
            dark = w0
            gap = m1 - m0
    level_out[r] = at
    if present(share_out):
        if total > 0.0:
            share_out[r] = 1.0 - dark / total
        else:
            share_out[r] = 0.0
    if present(gap_out):
        gap_out[r] = gap
    if present(between_out):
        between_out[r] = best
    if present(flat):
        if gap < 7.8:
            wp.atomic_add(flat, 0, 1)


@scene("reduction", "control_flow", "math", row,
       says="compares the two samples of each row by the statistic of Kolmogorov and Smirnov, the largest distance of their distribution functions{p_out:, with its probability}{where_out:, and where it occurs}",
       title="ks_statistic|ks_test|compare_samples|two_sample_ks", algorithm="two-sample Kolmogorov-Smirnov test", topic="")
def ks_statistic(a: each(value, row, 12), b: each(value, row, 10, range=(-1.2, 2.4)), d_out: out(ratio), p_out: maybe(out(probability), 0.5), where_out: maybe(out(value), 0.4), differs: maybe(out(flag), 0.4), level: setting(probability, 0.05, 0.2)):
    names(d="d|distance", worst="worst|d_max", below_a="below_a|num_a", below_b="below_b|num_b", at="at|where", lam="lam|scaled", p="p|tail", term="term|t", x="x|cut", sgn="sgn|alternating")
    names(a="a|sample_a", b="b|sample_b", d_out="d_out|statistics", p_out="p_out|p_values", where_out="where_out|locations", differs="differs|rejected", level="level|alpha")
    r = wp.tid()
    worst = float(0.0)
    at = float(0.0)
    note("the distance is largest at one of the values")
    for k in range(22):
        x = float(0.0)
        if k < 12:
            x = a[r, k]
        else:
            x = b[r, k - 12]
        below_a = int(0)
        for m in range(12):
            if a[r, m] <= x:
                below_a += 1
        below_b = int(0)
        for m in range(10):
            if b[r, m] <= x:
                below_b += 1
        d = wp.abs(float(below_a) / 12.0 - float(below_b) / 10.0)
        if d > worst + 0.001:
            worst = d
            at = x
    d_out[r] = worst
    if present(where_out):
        where_out[r] = at
    if present(p_out) or present(differs):
        note("the asymptotic tail, with the correction for small samples|Kolmogorov's series")
        lam = (wp.sqrt(120.0 / 22.0) + 0.12 + 0.11 / wp.sqrt(120.0 / 22.0)) * worst
        p = float(0.0)
        sgn = float(2.0)
        for m in range(1, 21):
            term = sgn * wp.exp(-2.0 * lam * lam * float(m * m))
            p += term
            sgn = -sgn
        p = wp.clamp(p, 0.0, 1.0)
        if present(p_out):
            p_out[r] = p
        if present(differs):
            if p < level:
                differs[r] = 1
            else:
                differs[r] = 0


@scene("reduction", "control_flow", "scalar_param", row,
       says="finds the stretch of each row with the largest sum by Kadane's method{begin_out:, with where it begins and ends}{cost:, each step costing something}",
       title="best_stretch|max_subarray|kadane_rows|largest_run", algorithm="Kadane's maximum subarray", topic="")
def best_stretch(x: each(value, row, 16), cost: maybe(setting(value, 0.05, 0.4), 0.4), sum_out: out(value), begin_out: maybe(out(index_value), 0.5), end_out: maybe(out(index_value), 0.5), longest: maybe(add(count_value, 1), 0.4)):
    names(v="v|gain", run="run|current", best="best|best_sum", start="start|run_start", b0="b0|best_start", b1="b1|best_end")
    names(x="x|gains", cost="cost|step_cost", sum_out="sum_out|best_sums", begin_out="begin_out|first_index", end_out="end_out|last_index", longest="longest|max_length")
    r = wp.tid()
    best = float(-1.0e6)
    run = float(0.0)
    start = int(0)
    b0 = int(0)
    b1 = int(0)
    for c in range(16):
        if present(cost):
            v = x[r, c] - cost
        else:
            v = x[r, c]
        note("a negative run is worth nothing: begin anew")
        if run < 0.0:
            run = v
            start = int(c)
        else:
            run += v
        if run > best:
            best = run
            b0 = start
            b1 = int(c)
    sum_out[r] = best
    if present(begin_out):
        begin_out[r] = b0
    if present(end_out):
        end_out[r] = b1
    if present(longest):
        wp.atomic_max(longest, 0, b1 - b0 + 1)


@scene("reduction", "nested_loop", "vector", "geometry", row,
       says="measures how far the two point sets of each row are apart: {kind=0:the Hausdorff distance}{kind=1:the Chamfer distance}{measure=1: in squared lengths}{limit:, with distances cut off at a limit}{pair_out:, with the point that is farthest from the other set}",
       title="{kind=0:hausdorff_distance}{kind=1:chamfer_distance}|set_distance|compare_clouds", algorithm="Hausdorff and Chamfer distance", topic="")
def set_distance(p: each(position, row, vertex), q: each(position, row, site), limit: maybe(setting(distance, 1.0, 2.0), 0.4), dist_out: out(distance), pair_out: maybe(out(index_value), 0.5), close_out: maybe(out(count_value), 0.4)):
    names(near="near|nearest", d="d|dist", far="far|farthest", who="who|worst_point", total="total|acc", close="close|num_close", other="other|back")
    names(p="p|cloud_a", q="q|cloud_b", limit="limit|max_dist", dist_out="dist_out|distances", pair_out="pair_out|worst_index", close_out="close_out|close_count")
    r = wp.tid()
    far = float(0.0)
    total = float(0.0)
    who = int(0)
    close = int(0)
    for a in range(count(vertex)):
        near = float(1.0e6)
        for b in range(count(site)):
            match choose("measure"):
                case 2:
                    d = wp.length(p[r, a] - q[r, b])
                case 1:
                    d = wp.length_sq(p[r, a] - q[r, b])
            near = wp.min(near, d)
        if present(pair_out):
            if near > far:
                far = near
                who = int(a)
        if present(close_out):
            if near < constant("CLOSE_DISTANCE|CLOSE", 1.0):
                close += 1
        match choose("kind"):
            case 1:
                if not present(pair_out):
                    far = wp.max(far, near)
            case 1:
                if present(limit):
                    total += wp.min(near, limit)
                else:
                    total += near
    other = float(0.0)
    for b in range(count(site)):
        near = float(1.0e6)
        for a in range(count(vertex)):
            match choose("measure"):
                case 2:
                    d = wp.length(p[r, a] - q[r, b])
                case 1:
                    d = wp.length_sq(p[r, a] - q[r, b])
            near = wp.min(near, d)
        match choose("kind"):
            case 1:
                other = wp.max(other, near)
            case 1:
                if present(limit):
                    other += wp.min(near, limit)
                else:
                    other += near
    match choose("kind"):
        case 1:
            dist_out[r] = wp.max(far, other)
        case 1:
            dist_out[r] = total / float(count(vertex)) + other / float(count(site))
    if present(pair_out):
        pair_out[r] = who
    if present(close_out):
        close_out[r] = close


@law("contact", "whether two bodies may touch: different, not both fixed, and in groups that see each other", title="may_collide|should_collide|is_pair_active", private=True, function=True)
def may_collide(a: index_value, b: index_value, ga: group_mask, gb: group_mask) -> truth:
    names(a="a|body_a", b="b|body_b", ga="group_a|mask_a", gb="group_b|mask_b")
    if a == b:
        return False
    if (ga & gb) == wp.uint32(0):
        return False
    return True


@law("contact", "the point of a segment that is nearest to another point", title="closest_on_segment|nearest_on_axis|segment_point", private=True, function=True)
def on_axis(a: position, b: position, p: position) -> position:
    names(a="a|p0", b="b|p1", p="p|point", t="t|u", ab="ab|axis")
    ab = b - a
    t = wp.clamp(wp.dot(p - a, ab) / wp.max(wp.dot(ab, ab), 1.0e-6), 0.0, 1.0)
    return a + ab * t


@scene("vector", "multi_conditional", "geometry", "function", "control_flow", "quaternion", contact,
       says="finds contact point, normal and depth for pairs of spheres, capsules, boxes and planes, case by case{group:; pairs of groups that ignore each other are skipped}{num:, and counts the contacts}",
       title="collide_pairs|narrow_phase|generate_contacts|shape_contacts", algorithm="narrow phase for primitive shapes", topic="")
def collide_pairs(first: index(body), second: index(body), shape: each(kind_value, body, range=(0, 3)), x: each(position, body, range=(-1.0, 1.0)), q: each(keyframe_rotation, body), size: each(blob_scale, body, range=(0.3, 0.9)), group: maybe(each(group_mask, body), 0.5), margin: maybe(setting(gap_distance, 0.02, 0.2), 0.5), point_out: out(position), normal_out: out(vector3), depth_out: out(signed_distance), num: maybe(add(count_value, 1), 0.4)):
    names(a="a|body_a", b="b|body_b", sa="sa|shape_a", sb="sb|shape_b", tmp="tmp|swap", n="n|normal", p="p|point", d="d|delta", dist="dist|gap", depth="depth|penetration", qa="qa|rot_a", qb="qb|rot_b", axis="axis|half_axis", c="c|near_b", e="e|near_a", loc="loc|local", low="low|closest", k="k|face_axis", flip="flip|sign_n", out_n="out_n|local_n", reach="reach|face_gap", best="best|smallest")
    names(first="first|pair_a", second="second|pair_b", shape="shape|shape_type", x="x|body_pos", q="q|body_rot", size="size|half_size", group="group|collision_group", margin="margin|contact_margin", point_out="point_out|contact_point", normal_out="normal_out|contact_normal", depth_out="depth_out|contact_depth", num="num|num_contacts")
    i = wp.tid()
    a = first[i]
    b = second[i]
    if present(group):
        if not may_collide(a, b, group[a], group[b]):
            depth_out[i] = -1.0
            return
    else:
        if a == b:
            depth_out[i] = -1.0
            return
    note("the simpler shape comes first: sphere, capsule, box, plane|sort the pair by type")
    flip = float(1.0)
    if shape[a] > shape[b]:
        tmp = int(a)
        a = int(b)
        b = tmp
        flip = -1.0
    sa = shape[a]
    sb = shape[b]
    qa = wp.normalize(q[a])
    qb = wp.normalize(q[b])
    n = wp.vec3(0.0, 1.0, 0.0)
    p = x[a]
    depth = float(-1.0)
    if sa == constant("SPHERE|GEO_SPHERE", 0) and sb == constant("SPHERE|GEO_SPHERE", 0):
        d = x[b] - x[a]
        dist = wp.length(d)
        if dist > 1.0e-5:
            n = d / dist
        depth = size[a][0] + size[b][0] - dist
        p = x[a] + n * (size[a][0] - 0.5 * depth)
    elif sa == constant("SPHERE|GEO_SPHERE", 0) and sb == constant("CAPSULE|GEO_CAPSULE", 1):
        axis = wp.quat_rotate(qb, wp.vec3(0.0, size[b][1], 0.0))
        c = on_axis(x[b] - axis, x[b] + axis, x[a])
        d = c - x[a]
        dist = wp.length(d)
        if dist > 1.0e-5:
            n = d / dist
        depth = size[a][0] + size[b][0] - dist
        p = x[a] + n * (size[a][0] - 0.5 * depth)
    elif sa == constant("SPHERE|GEO_SPHERE", 0) and sb == constant("BOX|GEO_BOX", 2):
        loc = wp.quat_rotate_inv(qb, x[a] - x[b])
        low = wp.vec3(wp.clamp(loc[0], -size[b][0], size[b][0]), wp.clamp(loc[1], -size[b][1], size[b][1]), wp.clamp(loc[2], -size[b][2], size[b][2]))
        dist = wp.length(loc - low)
        if dist > 1.0e-5:
            note("outside: along the way to the nearest point")
            n = wp.quat_rotate(qb, (low - loc) / dist)
            depth = size[a][0] - dist
            p = x[b] + wp.quat_rotate(qb, low)
        else:
            note("the centre is inside: out through the nearest face")
            best = float(1.0e6)
            out_n = wp.vec3()
            for k in range(3):
                reach = size[b][k] - wp.abs(loc[k])
                if reach < best:
                    best = reach
                    out_n = wp.vec3()
                    if loc[k] > 0.0:
                        out_n[k] = -1.0
                    else:
                        out_n[k] = 1.0
            n = wp.quat_rotate(qb, out_n)
            depth = size[a][0] + best
            p = x[a]
    elif sb == constant("PLANE|GEO_PLANE", 3) and sa == constant("SPHERE|GEO_SPHERE", 0):
        n = -wp.quat_rotate(qb, wp.vec3(0.0, 1.0, 0.0))
        dist = wp.dot(x[b] - x[a], n)
        depth = size[a][0] - dist
        p = x[a] + n * size[a][0]
    elif sb == constant("PLANE|GEO_PLANE", 3) and sa == constant("CAPSULE|GEO_CAPSULE", 1):
        n = -wp.quat_rotate(qb, wp.vec3(0.0, 1.0, 0.0))
        axis = wp.quat_rotate(qa, wp.vec3(0.0, size[a][1], 0.0))
        note("the end of the axis that is deeper")
        e = x[a] + axis
        if wp.dot(axis, n) < 0.0:
            e = x[a] - axis
        dist = wp.dot(x[b] - e, n)
        depth = size[a][0] - dist
        p = e + n * size[a][0]
    elif sb == constant("PLANE|GEO_PLANE", 3) and sa == constant("BOX|GEO_BOX", 2):
        n = -wp.quat_rotate(qb, wp.vec3(0.0, 1.0, 0.0))
        loc = wp.quat_rotate_inv(qa, n)
        note("the corner that is deepest")
        low = wp.vec3(wp.sign(loc[0]) * size[a][0], wp.sign(loc[1]) * size[a][1], wp.sign(loc[2]) * size[a][2])
        p = x[a] + wp.quat_rotate(qa, low)
        depth = wp.dot(p - x[b], n)
    elif sa == constant("CAPSULE|GEO_CAPSULE", 1) and sb == constant("CAPSULE|GEO_CAPSULE", 1):
        note("a few steps from axis to axis")
        axis = wp.quat_rotate(qa, wp.vec3(0.0, size[a][1], 0.0))
        d = wp.quat_rotate(qb, wp.vec3(0.0, size[b][1], 0.0))
        c = x[b]
        e = x[a]
        for s in range(6):
            e = on_axis(x[a] - axis, x[a] + axis, c)
            c = on_axis(x[b] - d, x[b] + d, e)
        dist = wp.length(c - e)
        if dist > 1.0e-5:
            n = (c - e) / dist
        depth = size[a][0] + size[b][0] - dist
        p = e + n * (size[a][0] - 0.5 * depth)
    else:
        note("pairs that others take care of|not handled here")
        depth_out[i] = -1.0
        return
    if present(margin):
        if depth < -margin:
            depth_out[i] = -1.0
            return
    else:
        if depth < 0.0:
            depth_out[i] = -1.0
            return
    point_out[i] = p
    normal_out[i] = n * flip
    depth_out[i] = depth
    if present(num):
        wp.atomic_add(num, 0, 1)


@scene("control_flow", "integer", "nested_loop", row,
       says="plays a short game of snake on a board of eight by eight for each player: moves, turns, eats and grows, and ends at walls{edge=1: or passes through them}, or in its own tail",
       title="snake_games|play_snake|snake_rollout|step_snakes", algorithm="rules of the game of snake", topic="")
def snake_games(turns: each(label, row, 12, range=(0, 3)), food_x: each(index_value, row, 6, range=(0, 7)), food_y: each(index_value, row, 6, range=(0, 7)), score_out: out(count_value), alive_out: maybe(out(flag), 0.7), steps_out: maybe(out(count_value), 0.5), head_out: maybe(out(coordinate), 0.5)):
    names(bx="bx|body_x", by="by|body_y", n="n|length_s", hx="hx|head_x", hy="hy|head_y", dx="dx|step_x", dy="dy|step_y", meals="meals|score", dead="dead|game_over", t="t|tick", k="k|seg", ate="ate|grew", tmp="tmp|old_dx", done="done|num_steps")
    names(turns="turns|actions", food_x="food_x|apples_x", food_y="food_y|apples_y", score_out="score_out|scores", alive_out="alive_out|alive", steps_out="steps_out|num_steps_out", head_out="head_out|head_cell")
    r = wp.tid()
    bx = wp.zeros(shape=16, dtype=int)
    by = wp.zeros(shape=16, dtype=int)
    for k in range(3):
        note("three cells long, in the middle, heading east")
        bx[k] = 4 - k
        by[k] = 4
    n = int(3)
    dx = int(1)
    dy = int(0)
    hx = int(4)
    hy = int(4)
    meals = int(0)
    dead = int(0)
    done = int(0)
    for t in range(12):
        if dead == 1:
            continue
        done += 1
        if turns[r, t] == constant("LEFT|TURN_LEFT", 1):
            tmp = int(dx)
            dx = int(dy)
            dy = -tmp
        elif turns[r, t] == constant("RIGHT|TURN_RIGHT", 2):
            tmp = int(dx)
            dx = -dy
            dy = tmp
        hx = hx + dx
        hy = hy + dy
        match choose("edge"):
            case 1:
                if hx < 0 or hy < 0 or hx > 7 or hy > 7:
                    note("into a wall")
                    dead = 1
                    continue
            case 1:
                hx = (hx + 8) % 8
                hy = (hy + 8) % 8
        ate = int(0)
        if meals < 6:
            if hx == food_x[r, meals % 6] and hy == food_y[r, meals % 6]:
                ate = 1
        match choose("tail"):
            case 2:
                note("the last cell moves away, unless it has just eaten")
                for k in range(n - 1 + ate):
                    if bx[k] == hx and by[k] == hy:
                        dead = 1
            case 1:
                for k in range(n):
                    if bx[k] == hx and by[k] == hy:
                        dead = 1
        if dead == 1:
            continue
        if ate == 1:
            meals += 1
            n = wp.min(n + 1, 15)
        note("every cell follows the one before it")
        k = n - 1
        while k > 0:
            bx[k] = bx[k - 1]
            by[k] = by[k - 1]
            k -= 1
        bx[0] = hx
        by[0] = hy
    score_out[r] = meals
    if present(alive_out):
        alive_out[r] = 1 - dead
    if present(steps_out):
        steps_out[r] = done
    if present(head_out):
        if allows(slots_by_reference) and maybe(0.4):
            head_out[r][0] = bx[0]
            head_out[r][1] = by[0]
        else:
            head_out[r] = wp.vec2i(bx[0], by[0])
