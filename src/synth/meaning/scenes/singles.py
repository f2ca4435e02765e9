"""Kernels that a single thread runs: they finish sums, prepare launches, loop over short arrays."""


@scene("glue", "reduction", item,
       says="divides a sum by how many there were, by a single thread",
       title="finalize_mean|finish_mean|normalize_sum|finalize_#", topic="")
def finish_mean(total: each(some(energy, error_value, force, velocity, matrix3, value), 1), n: each(count_value, 1, range=(2, 40)), mean: out(some(energy, error_value, force, velocity, matrix3, value), 1)):
    names(total="total|acc|sum_in|partial_sum", n="count|num|n_valid|num_samples", mean="mean|avg|average|mean_out", c="c|denom|count_f|m")
    c = n[0]
    if c > 0:
        mean[0] = total[0] / float(c)
    else:
        mean[0] = zero(mean)


@scene("glue", item,
       says="keeps the largest count so far, then resets the counter{limit_hit: and the flag of the overflow} and counts the step, by a single thread",
       title="reset_counters|clear_counters|reset_counts|begin_step", topic="", rare=True)
def reset_counters(count: inout(count_value, 1), most: inout(count_value, 1), limit_hit: maybe(inout(flag, 1), 0.4), last: maybe(out(count_value, 1), 0.4), total: maybe(inout(energy, 1), 0.4), step: inout(count_value, 1, range=(0, 9))):
    names(count="counter|contact_count|num_active|n_pairs", most="max_counter|max_contacts|peak_active|most_pairs", limit_hit="overflow|overflowed|is_full", last="last_count|prev_count|old_count", total="energy|total_energy|loss", step="step|frame|iteration")
    most[0] = wp.max(most[0], count[0])
    if present(last):
        last[0] = count[0]
    count[0] = 0
    if present(limit_hit):
        limit_hit[0] = 0
    if present(total):
        total[0] = 0.0
    step[0] = step[0] + 1


@scene("glue", "integer", item,
       says="computes how many blocks of threads an indirect launch needs for a count{cap:, at most a limit}, by a single thread",
       title="prepare_dispatch|dispatch_size|compute_num_blocks|setup_launch", topic="", rare=True)
def prepare_dispatch(n: each(count_value, 1, range=(1, 2000)), blocks: out(count_value, 3), cap: maybe(setting(count_value, 18, 32), 0.5), spare: maybe(out(count_value, 1), 0.4)):
    names(n="count|num_items|num_active", blocks="dispatch|grid_size|launch_dims", spare="num_idle|padding|remainder", b="b|num_blocks|groups", cap="max_blocks|block_limit|cap")
    b = (n[0] + constant("BLOCK_SIZE|BLOCK|THREADS", 64) - 1) // constant("BLOCK_SIZE|BLOCK|THREADS", 64)
    if present(cap):
        b = wp.min(b, cap)
    blocks[0] = b
    blocks[1] = 1
    blocks[2] = 1
    if present(spare):
        spare[0] = b * constant("BLOCK_SIZE|BLOCK|THREADS", 64) - n[0]


@scene("glue", "reduction", some(segment, bin, row, world, body),
       says="turns the counts of the @s into offsets, where each begins{total: and how many there are in all}, by a single thread",
       title="exclusive_scan|compute_offsets|prefix_sum|scan_counts", topic="")
def scan_offsets(n: each(count_value, segment), start: out(count_value, segment), total: maybe(out(count_value, 1), 0.5)):
    names(n="counts|num_per_@|sizes|lengths", start="offsets|starts|@_start|first", total="total|num_total|count_out", acc="acc|offset|running|at", k="k|i|b|s")
    acc = int(0)
    for k in range(count(segment)):
        start[k] = acc
        acc += n[k]
    if present(total):
        total[0] = acc


@scene("glue", "reduction", some(particle, body, sample, agent, contact),
       says="finds the @ with the {low:smallest}{!low:largest} # by a single thread{mask: among those that are active}",
       title="arg_best|find_best|select_@|best_@", topic="")
def find_best(x: each(some(energy, distance, score, error_value, speed, temperature), particle), mask: maybe(each(flag, particle), 0.4), best: out(some(energy, distance, score, error_value, speed, temperature), 1), at: out(count_value, 1)):
    names(best="best_value|best_out|extremum", at="best_index|best_id|arg_out", top="top|best|v_best", where="where_i|idx|best_i", mask="active|mask|valid", k="k|i|j|n")
    top = float(0.0)
    where = int(-1)
    for k in range(count(particle)):
        if present(mask):
            if mask[k] == 0:
                continue
        if maybe(0.5, "low"):
            if where < 0 or x[k] < top:
                top = x[k]
                where = k
        else:
            if where < 0 or x[k] > top:
                top = x[k]
                where = k
    best[0] = top
    at[0] = where


@scene("glue", "reduction", some(body, particle, sensor, sample, agent),
       says="adds up the # of all @s{w: with their weights} by a single thread{mean_out: and gives the mean}",
       title="sum_#|total_#|accumulate_#|reduce_#", topic="")
def sum_all(x: each(some(energy, mass, force, momentum, torque, error_value, value), body), w: maybe(each(weight, body), 0.4), total: out(some(energy, mass, force, momentum, torque, error_value, value), 1), mean_out: maybe(out(some(energy, mass, force, momentum, torque, error_value, value), 1), 0.4)):
    names(w="weights|w|factors", total="total|sum_out|result", mean_out="mean_out|avg_out|mean", acc="acc|s|sum_x", k="k|i|j|b")
    acc = zero(total)
    for k in range(count(body)):
        if present(w):
            acc = acc + x[k] * w[k]
        else:
            acc = acc + x[k]
    total[0] = acc
    if present(mean_out):
        mean_out[0] = acc / float(count(body))


@scene("glue", "control_flow", item,
       says="decides by a single thread whether an iteration has converged: the residual is below the tolerance{first:, relative to the first residual,} or it has run long enough",
       title="check_convergence|update_status|is_converged|test_residual", topic="")
def check_convergence(res: each(error_value, 1), first: maybe(each(error_value, 1), 0.5), tol: setting(error_value, 0.01, 0.1), most: setting(count_value, 4, 16), it: inout(count_value, 1), done: out(flag, 1)):
    names(res="residual|res|error_norm", first="residual_0|initial_residual|res0", tol="tol|tolerance|eps", most="max_iter|max_iterations|iter_limit", it="iteration|iter_count|it", done="converged|done|stop", limit="limit|bound|thresh")
    it[0] = it[0] + 1
    limit = tol
    if present(first):
        limit = tol * first[0]
    if res[0] < limit or it[0] >= most:
        done[0] = 1
    else:
        done[0] = 0


@scene("glue", "ml", item,
       says="adapts the step of an optimiser by a single thread: it grows where the loss fell and shrinks where it rose",
       title="adapt_step|update_learning_rate|adapt_damping|adjust_step", topic="", lossy=True)
def adapt_step(loss: each(energy, 1), last: inout(energy, 1), step: inout(ratio, 1), good: maybe(inout(count_value, 1), 0.5)):
    names(loss="loss|cost|f_new", last="last_loss|prev_cost|f_old", step="step|lr|damping", good="num_accepted|accepted|successes")
    if loss[0] < last[0]:
        step[0] = wp.min(step[0] * number(1.1, 2.0), 1.0)
        last[0] = loss[0]
        if present(good):
            good[0] = good[0] + 1
    else:
        step[0] = wp.max(step[0] * number(0.3, 0.9), 0.001)
