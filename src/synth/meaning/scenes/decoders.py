"""Readers of programs and streams: machine tools, picture rows, codes of variable length, terminals."""


@scene("multi_conditional", "control_flow", "combined", path,
       says="runs programs of a machine tool: rapid moves, feeds, arcs{arc=1: as chords}, dwells, and absolute or relative places, and sums {dist_out:the way, }the time{limit_hits:, and the moves that leave the table}",
       title="run_tool_paths|gcode_times|machine_programs", topic="", lossy=True)
def tool_programs(op: each(tool_word, path, 24), arg: each(point2, path, 24), feed_in: maybe(each(tool_feed, path), 0.5), feed: setting(tool_feed, 0.5, 1.5), rapid: setting(tool_feed, 4.0, 8.0), bound: setting(length, 2.5, 3.5), laser: maybe(setting(power, 5.0, 20.0), 0.4), time_out: out(time_value, path), dist_out: maybe(out(distance, path), 0.6), limit_hits: maybe(out(count_value, path), 0.5), end_out: maybe(out(point2, path), 0.5), energy_out: maybe(out(energy, path), 0.5)):
    names(code="code|opcode|g", x="x|at|here", t="t|clock|seconds", way="way|travel|path_len", relative="relative|rel|incremental", rate="rate|f|feed_now", to="to|target|goal", w="w|xy|word", step="step|move|leg", hits="hits|outside|overruns", center="center|mid|c", r="r|radius|arc_r", turn="turn|sweep|arc", cutting="cutting|on|tool_on", joules="joules|work|used", a0="a0|start_angle|from_angle", a1="a1|end_angle|to_angle")
    names(op="op|codes", arg="args|operands", feed_in="feed_in|job_feed", feed="feed|default_feed", rapid="rapid|rapid_rate", bound="bound|table_half", laser="laser_power|spindle_power", time_out="time_out|run_time", dist_out="dist_out|travelled", limit_hits="limit_hits|violations", end_out="end_out|final_pos", energy_out="energy_out|energy_used")
    p = wp.tid()
    x = wp.vec2(0.0, 0.0)
    t = float(0.0)
    way = float(0.0)
    rate = float(feed)
    if present(feed_in):
        rate = feed_in[p]
    relative = int(0)
    cutting = int(0)
    hits = int(0)
    joules = float(0.0)
    for k in range(constant("MAX_WORDS|PROGRAM_LENGTH|NUM_WORDS", 24)):
        code = op[p, k]
        w = arg[p, k]
        to = w
        if relative == 1:
            to = x + w
        if code == constant("OP_RAPID|G0|RAPID", 0):
            step = wp.length(to - x)
            match choose("axes"):
                case 2:
                    t += step / rapid
                case 1:
                    note("both axes at full speed: the longer one decides|axes move on their own")
                    t += wp.max(wp.abs(to[0] - x[0]), wp.abs(to[1] - x[1])) / rapid
            way += step
            x = to
        elif code == constant("OP_FEED|G1|LINEAR", 1):
            step = wp.length(to - x)
            t += step / rate
            way += step
            if cutting == 1:
                joules += step / rate
            x = to
        elif code == constant("OP_ARC|G2|ARC", 2):
            match choose("arc"):
                case 1:
                    note("half a circle to the target|a half circle over the chord")
                    step = 0.5 * wp.pi * wp.length(to - x)
                    t += step / rate
                    way += step
                    x = to
                case 1:
                    note("about a centre between here and there|counter-clockwise about the centre")
                    center = x + wp.vec2(0.5, 0.0)
                    r = wp.length(x - center)
                    a0 = wp.atan2(x[1] - center[1], x[0] - center[0])
                    a1 = wp.atan2(to[1] - center[1], to[0] - center[0])
                    turn = a1 - a0
                    if turn <= 0.0:
                        turn += 2.0 * wp.pi
                    t += r * turn / rate
                    way += r * turn
                    x = center + wp.vec2(r * wp.cos(a1), r * wp.sin(a1))
        elif code == constant("OP_DWELL|G4|DWELL", 3):
            t += wp.abs(w[0])
        elif code == constant("OP_RATE|SET_FEED|FEED_WORD", 4):
            note("a new feed, but never zero")
            rate = wp.max(feed * (1.0 + 0.4 * w[0]), constant("MIN_FEED|FEED_FLOOR|LEAST_FEED", 0.05))
        elif code == constant("OP_ABSOLUTE|G90|ABSOLUTE", 5):
            relative = 0
        elif code == constant("OP_RELATIVE|G91|RELATIVE", 6):
            relative = 1
        elif code == constant("OP_TOOL|M3|TOOL", 7):
            t += constant("SPIN_UP|TOOL_DELAY|TOOL_TIME", 0.5)
            match choose("tool"):
                case 1:
                    cutting = 1 - cutting
                case 1:
                    if w[0] > 0.0:
                        cutting = 1
                    else:
                        cutting = 0
        elif code == constant("OP_HOME|G28|HOME", 8):
            t += wp.length(x) / rapid
            way += wp.length(x)
            x = wp.vec2(0.0, 0.0)
        else:
            note("end of program")
            break
        if present(limit_hits):
            if wp.abs(x[0]) > bound or wp.abs(x[1]) > bound:
                hits += 1
                match choose("overrun"):
                    case 1:
                        x = wp.vec2(wp.clamp(x[0], -bound, bound), wp.clamp(x[1], -bound, bound))
                    case 1:
                        note("the limit switch stops the program")
                        break
    time_out[p] = t
    if present(dist_out):
        dist_out[p] = way
    if present(limit_hits):
        limit_hits[p] = hits
    if present(end_out):
        end_out[p] = x
    if present(energy_out):
        if present(laser):
            energy_out[p] = joules * laser
        else:
            energy_out[p] = joules * constant("SPINDLE_POWER|MOTOR_POWER", 8.0)


@scene("multi_conditional", "integer", "nested_loop", "combined", row,
       says="undoes the filter of picture rows by their kind, none, left, up, average or Paeth{alpha:, puts the transparent ones on a background}{hist:, counts the levels}{checksum:, and adds up a checksum}",
       title="unfilter_rows|undo_row_filters|restore_scanlines", topic="")
def unfilter_rows(data: each(pixel_level, row, 36), above: each(pixel_level, row, 36), filt: kind(NO_FILTER, LEFT, UP, AVERAGE, PAETH), alpha: maybe(each(pixel_level, row, 36), 0.35), back: setting(pixel_level, 100, 220), gamma_on: maybe(each(flag), 0.3), gain: setting(key, 200, 320), line_out: out(pixel_level, row, 36), sum_out: maybe(out(key, row), 0.5), checksum: maybe(out(key, row), 0.5), hist: maybe(add(count_value, 16), 0.4), clipped: maybe(out(count_value, row), 0.35)):
    names(left="left|a|west", up="up|b|north", corner="corner|c|north_west", raw="raw|coded|byte_in", pa="pa|da|dist_left", pb="pb|db|dist_up", pc="pc|dc|dist_corner", guess="guess|predictor|base", level="level|v|px", s1="s1|adler_a|low_sum", s2="s2|adler_b|high_sum", total="total|acc|line_sum", estimate="estimate|p_lin|guide", n_clip="n_clip|num_clipped|over", mixed="mixed|shown|visible")
    names(data="data|filtered", above="above|prior", filt="filter_kind|filters", alpha="alpha|opacity8", back="background|backdrop", gamma_on="brighten|boost", gain="gain_256|gain", line_out="line_out|pixels_out", sum_out="sum_out|row_sum", hist="hist|levels_hist", clipped="clipped|num_clipped")
    r = wp.tid()
    left = int(0)
    total = int(0)
    n_clip = int(0)
    s1 = int(1)
    s2 = int(0)
    for k in range(constant("WIDTH|ROW_BYTES|LINE_WIDTH", 36)):
        raw = data[r, k]
        up = above[r, k]
        corner = int(0)
        if k > 0:
            corner = above[r, k - 1]
        guess = int(0)
        if filt[r] == LEFT:
            guess = int(left)
        elif filt[r] == UP:
            guess = int(up)
        elif filt[r] == AVERAGE:
            guess = (left + up) // 2
        elif filt[r] == PAETH:
            note("the neighbour that is nearest to left + up - corner|Paeth's predictor")
            estimate = left + up - corner
            pa = wp.abs(estimate - left)
            pb = wp.abs(estimate - up)
            pc = wp.abs(estimate - corner)
            if pa <= pb and pa <= pc:
                guess = int(left)
            elif pb <= pc:
                guess = int(up)
            else:
                guess = int(corner)
        match choose("wrap"):
            case 1:
                level = (raw + guess) & 255
            case 1:
                level = (raw + guess) % 256
        left = level
        mixed = int(level)
        if present(gamma_on):
            if gamma_on[r] == 1:
                note("fixed point with eight bits behind the point|brighter, in integers")
                mixed = (level * gain) >> 8
                if mixed > 255:
                    mixed = 255
                    if present(clipped):
                        n_clip += 1
        if present(alpha):
            match choose("blend"):
                case 1:
                    mixed = (mixed * alpha[r, k] + back * (255 - alpha[r, k]) + 127) // 255
                case 1:
                    if alpha[r, k] == 0:
                        mixed = int(back)
                    elif alpha[r, k] < 255:
                        mixed = back + ((mixed - back) * alpha[r, k] >> 8)
        line_out[r, k] = mixed
        if present(sum_out):
            total += mixed
        if present(checksum):
            match choose("checksum"):
                case 2:
                    note("two running sums, as Adler's|over the restored bytes")
                    s1 = (s1 + level) % constant("ADLER_MOD|MOD_PRIME", 65521)
                    s2 = (s2 + s1) % constant("ADLER_MOD|MOD_PRIME", 65521)
                case 1:
                    s1 = (s1 * constant("HASH_FACTOR|HASH_MUL", 31) + level) & 65535
        if present(hist):
            wp.atomic_add(hist, mixed >> 4, 1)
    if present(sum_out):
        match choose("sum"):
            case 1:
                sum_out[r] = total
            case 1:
                sum_out[r] = total // constant("WIDTH|ROW_BYTES|LINE_WIDTH", 36)
    if present(checksum):
        match choose("checksum"):
            case 2:
                checksum[r] = s2 * 256 + s1 % 256
            case 1:
                checksum[r] = s1
    if present(clipped) and present(gamma_on):
        clipped[r] = n_clip


@scene("multi_conditional", "control_flow", "combined", "scalar_param", agent,
       says="decides what guards of a game do next and moves them: patrol, chase, search, flee{heal: and heal}, by what they see{noise:, hear} and how they feel",
       title="guard_step|update_guards|npc_state_machine", topic="")
def guard_states(mode: inout(kind_value, range=(0, 3)), pos: inout(point2), facing: inout(angle), health: inout(health), timer: inout(segment_time, range=(0.0, 3.0)), post: each(point2), last_seen: inout(point2), player: setting(point2, -1.5, 1.5), noise: maybe(each(ratio), 0.5), allies: maybe(each(flag), 0.4), view: setting(distance, 1.0, 2.5), cone: setting(ratio, 0.2, 0.7), speed: setting(speed, 0.5, 1.5), heal: maybe(setting(health, 2.0, 10.0), 0.5), dt: setting(time_step, 0.02, 0.1), shots: maybe(out(flag), 0.5), alarm: maybe(add(count_value, 1), 0.5)):
    names(m="m|now|cur", nxt="nxt|next_mode|new_mode", x="x|at|here", d="d|to_player|gap", dist="dist|rng|range_p", look="look|ahead|gaze", sees="sees|visible|in_view", hears="hears|heard|noticed", goal="goal|target|dest", pace="pace|v|spd", left="left|t_left|remaining", hp="hp|health_i|life", way="way|leg|delta", turn="turn|yaw_err|d_angle", fired="fired|shooting|fire")
    names(mode="mode|states", post="post|home", last_seen="last_seen|memory", noise="noise|loudness", allies="allies|ally_near", view="view|view_range", cone="cone|cos_fov", heal="heal|heal_rate", shots="shots|fires", alarm="alarm|num_alarms", timer="timer|time_left")
    i = wp.tid()
    m = mode[i]
    x = pos[i]
    hp = health[i]
    left = timer[i] - dt
    d = player - x
    dist = wp.length(d)
    look = wp.vec2(wp.cos(facing[i]), wp.sin(facing[i]))
    sees = int(0)
    if dist < view:
        match choose("cone"):
            case 2:
                note("inside the cone of sight|near, and in front")
                if wp.dot(look, d) > cone * dist:
                    sees = 1
            case 1:
                if wp.dot(look, d) > cone * dist or dist < 0.25 * view:
                    sees = 1
    if present(noise):
        hears = int(0)
        match choose("ear"):
            case 1:
                if noise[i] > dist / (2.0 * view):
                    hears = 1
            case 1:
                if noise[i] / (1.0 + dist * dist) > constant("HEARING|HEAR_LEVEL", 0.3):
                    hears = 1
    if present(noise):
        if sees == 1 or hears == 1:
            last_seen[i] = player
    elif sees == 1:
        last_seen[i] = player
    goal = post[i]
    pace = float(speed)
    fired = int(0)
    if m == constant("CHASE", 1):
        goal = last_seen[i]
        if sees == 1:
            goal = player
        pace = 1.5 * speed
        if dist < 0.5 * view:
            note("near enough: stand and shoot")
            fired = 1
            pace = 0.0
    if m == constant("SEARCH", 2):
        match choose("search"):
            case 1:
                goal = last_seen[i]
            case 1:
                note("circle around where it was")
                goal = last_seen[i] + wp.vec2(wp.cos(4.0 * left), wp.sin(4.0 * left)) * (0.3 * view)
    if m == constant("FLEE", 3):
        goal = x - d
        pace = 1.2 * speed
        if present(heal):
            hp = wp.min(hp + heal * dt, constant("FULL_HEALTH|MAX_HEALTH", 100.0))
    way = goal - x
    if wp.length(way) > pace * dt:
        way = wp.normalize(way) * (pace * dt)
    match choose("turning"):
        case 1:
            if wp.length(way) > 1.0e-5:
                facing[i] = wp.atan2(way[1], way[0])
        case 1:
            note("heads do not turn at once|limited turning")
            if wp.length(goal - x) > 1.0e-5:
                turn = wp.atan2(goal[1] - x[1], goal[0] - x[0]) - facing[i]
                turn = wp.atan2(wp.sin(turn), wp.cos(turn))
                facing[i] = facing[i] + wp.clamp(turn, -constant("TURN_RATE|MAX_TURN", 3.0) * dt, constant("TURN_RATE|MAX_TURN", 3.0) * dt)
    note("what to do next|transitions")
    nxt = int(m)
    if hp < constant("FLEE_HEALTH|LOW_HEALTH", 20.0):
        if present(allies):
            note("with friends near they hold out longer")
            if allies[i] == 0 or hp < 0.5 * constant("FLEE_HEALTH|LOW_HEALTH", 20.0):
                nxt = constant("FLEE", 3)
        else:
            nxt = constant("FLEE", 3)
    elif sees == 1:
        nxt = constant("CHASE", 1)
        if present(alarm):
            if m != constant("CHASE", 1):
                wp.atomic_add(alarm, 0, 1)
    elif m == constant("CHASE", 1):
        if left <= 0.0:
            nxt = constant("SEARCH", 2)
    elif m == constant("SEARCH", 2):
        if present(noise):
            if hears == 1:
                note("something moved: go on searching")
                left = wp.max(left, 1.0)
            elif left <= 0.0:
                nxt = 0
        elif left <= 0.0:
            nxt = 0
    elif m == constant("FLEE", 3):
        if hp > 2.0 * constant("FLEE_HEALTH|LOW_HEALTH", 20.0):
            nxt = 0
    elif present(noise):
        if hears == 1:
            nxt = constant("SEARCH", 2)
    if nxt != m:
        left = 2.0 + 0.5 * float(nxt)
    mode[i] = nxt
    pos[i] = x + way
    if present(heal):
        health[i] = hp
    timer[i] = wp.max(left, 0.0)
    if present(shots):
        shots[i] = fired
