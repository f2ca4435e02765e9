"""Whole works in one kernel: evaluations, machines, codecs, pipelines and models with many stages."""


@law("games", "what a piece is worth, in hundredths of a pawn", title="piece_value|material_value", private=True, function=True)
def piece_worth(p: key) -> key:
    if p == 1:
        return 100
    if p == 2:
        return 320
    if p == 3:
        return 330
    if p == 4:
        return 500
    if p == 5:
        return 900
    return 0


@scene("integer", "multi_conditional", "nested_loop", "combined", "control_flow", "reduction", "function", row,
       says="evaluates each chess position: material, doubled and isolated pawns, knights near the centre, the pair of bishops, rooks on open files and their mobility, and the pawns in front of the kings",
       title="evaluate_positions|chess_eval|static_evaluation", algorithm="static evaluation of chess positions")
def chess_eval(board: each(piece_code, row, 8, 8), black_moves: maybe(each(flag), 0.5), tempo: setting(key, 5, 20), doubled_penalty: setting(key, 8, 20), isolated_penalty: setting(key, 10, 25), open_file_bonus: setting(key, 10, 30), score_out: out(key), material_out: maybe(out(key), 0.5), pawns_out: maybe(out(key), 0.5)):
    names(board="board|boards", white="white_pawns|pawns_w", black="black_pawns|pawns_b", mat="material|mat", pawns="pawn_score|structure", place="activity|positional", p="p|piece", side="side|color", kind="kind|piece_type", rank="rank|y", file="file|x", moves="moves|mobility", front="front|next_rank", bishops_w="white_bishops|bishops_w", bishops_b="black_bishops|bishops_b", shield="shield|pawn_shield", total="score|total", tempo="tempo|tempo_bonus", ring="ring|centrality", own="own|own_pawns", other="other|their_pawns", dy="dy|dr", dx="dx|dc", k="k|dir", score_out="scores|score_out", material_out="material_out|material_scores", pawns_out="pawns_out|pawn_scores", ty="ty|to_y", tx="tx|to_x")
    g = wp.tid()
    white = wp.zeros(shape=10, dtype=int)
    black = wp.zeros(shape=10, dtype=int)
    mat = int(0)
    bishops_w = int(0)
    bishops_b = int(0)
    note("files are counted from one, so that the border needs no test|padded files")
    for rank in range(8):
        for file in range(8):
            p = board[g, rank, file]
            if p > 0:
                mat += piece_worth(p)
            elif p < 0:
                mat -= piece_worth(-p)
            if p == constant("PAWN", 1):
                white[file + 1] = white[file + 1] + 1
            elif p == -constant("PAWN", 1):
                black[file + 1] = black[file + 1] + 1
            elif p == constant("BISHOP", 3):
                bishops_w += 1
            elif p == -constant("BISHOP", 3):
                bishops_b += 1
    pawns = int(0)
    for file in range(1, 9):
        note("pawns behind each other block their way|doubled")
        pawns -= doubled_penalty * (wp.max(white[file] - 1, 0) - wp.max(black[file] - 1, 0))
        note("no pawn beside can protect it|isolated")
        if white[file] > 0 and white[file - 1] + white[file + 1] == 0:
            pawns -= isolated_penalty
        if black[file] > 0 and black[file - 1] + black[file + 1] == 0:
            pawns += isolated_penalty
    place = int(0)
    for rank in range(8):
        for file in range(8):
            p = board[g, rank, file]
            if p == 0:
                continue
            side = int(1)
            own = white[file + 1]
            other = black[file + 1]
            if p < 0:
                side = int(-1)
                own = black[file + 1]
                other = white[file + 1]
            kind = p * side
            if kind == constant("KNIGHT", 2):
                ring = wp.min(wp.min(rank, 7 - rank), wp.min(file, 7 - file))
                note("a knight at the border has few moves|towards the centre")
                place += side * constant("KNIGHT_RING_BONUS|CENTER_BONUS", 10) * (ring - 1)
            elif kind == constant("ROOK", 4):
                if own == 0:
                    place += side * open_file_bonus
                    if other == 0:
                        place += side * open_file_bonus
                moves = int(0)
                note("step by step, until something is in the way|four directions")
                for k in range(4):
                    dy = (1 - k) * ((k + 1) % 2)
                    dx = (2 - k) * (k % 2)
                    ty = rank + dy
                    tx = file + dx
                    while ty >= 0 and ty < 8 and tx >= 0 and tx < 8:
                        if board[g, ty, tx] != 0:
                            break
                        moves += 1
                        ty += dy
                        tx += dx
                place += side * constant("ROOK_MOVE_BONUS|MOBILITY_BONUS", 2) * moves
            elif kind == constant("KING", 6):
                shield = int(0)
                front = rank + side
                if front >= 0 and front < 8:
                    for tx in range(wp.max(file - 1, 0), wp.min(file + 2, 8)):
                        if board[g, front, tx] == side:
                            shield += 1
                note("three pawns in front make a good shelter|king safety")
                place += side * constant("SHIELD_BONUS|KING_SHIELD_BONUS", 9) * shield
    if bishops_w >= 2:
        place += constant("BISHOP_PAIR|BISHOP_PAIR_BONUS", 30)
    if bishops_b >= 2:
        place -= constant("BISHOP_PAIR|BISHOP_PAIR_BONUS", 30)
    total = mat + pawns + place
    if present(black_moves):
        if black_moves[g] == 1:
            total -= tempo
        else:
            total += tempo
    score_out[g] = total
    if present(material_out):
        material_out[g] = mat
    if present(pawns_out):
        pawns_out[g] = pawns


@law("codes", "a number cut to sixteen bits with a sign", title="wrap16|to_int16|cut_word", private=True, function=True)
def wrap_sixteen(v: key) -> key:
    return ((v + 32768) & 65535) - 32768


@scene("integer", "multi_conditional", "control_flow", "combined", "function", row,
       says="runs a small program on each virtual machine: four registers, sixteen cells of memory, jumps, and a limit of steps",
       title="run_programs|register_machine|virtual_cpu|execute_words", algorithm="register machine with sixteen instructions", rare=True)
def register_machine(code: each(machine_code, row, 16), start: rows(register_value, 4), limit: setting(key, 20, 40), reg_out: out(register_value, row, 4), steps_out: maybe(out(count_value), 0.7), memory_out: maybe(out(register_value, row, 16), 0.5), halted: maybe(out(flag), 0.6), taken: maybe(add(count_value, 16), 0.5)):
    names(code="code|program|words_in|text_seg", start="start|regs_in|initial|inputs_r", limit="limit|max_steps|budget|fuel", reg="reg|r|regs|file_r", mem="mem|ram|cells_m|data_seg", pc="pc|ip|at|counter", word="word|ins|fetch|w", op="op|opcode|what|ins_k", d="d|dst|rd|to", s="s|src|rs|from_r", imm="imm|lit|small|operand", steps="steps|n_done|cycles_n|ticks", done="done|stopped|halt_f|finished", a="a|x|left|va", b="b|y|right|vb", value="value|res|out_v|z", jump="jump|next_pc|target_p|go_to")
    m = wp.tid()
    reg = wp.zeros(shape=4, dtype=int)
    mem = wp.zeros(shape=16, dtype=int)
    for k in range(4):
        reg[k] = start[m, k]
    pc = int(0)
    steps = int(0)
    done = int(0)
    while steps < limit and done == 0:
        word = code[m, pc]
        steps += 1
        note("four bits of instruction, two registers, four bits of number|decode")
        op = (word >> 8) & 15
        d = (word >> 6) & 3
        s = (word >> 4) & 3
        imm = word & 15
        a = reg[d]
        b = reg[s]
        value = int(a)
        jump = (pc + 1) % 16
        if present(taken):
            wp.atomic_add(taken, op, 1)
        if op == 0:
            if imm == 0:
                done = 1
        elif op == 1:
            value = a + b
        elif op == 2:
            value = a - b
        elif op == 3:
            value = a * b
        elif op == 4:
            value = a & b
        elif op == 5:
            value = a | b
        elif op == 6:
            value = a ^ b
        elif op == 7:
            value = imm - 8
        elif op == 8:
            value = a + imm - 8
        elif op == 9:
            value = int(b)
        elif op == 10:
            value = mem[(b + imm) & 15]
        elif op == 11:
            mem[(b + imm) & 15] = a
        elif op == 12:
            if a == 0:
                jump = imm
        elif op == 13:
            if a < b:
                jump = imm
        elif op == 14:
            jump = imm
        else:
            note("swap with memory|exchange")
            value = mem[imm]
            mem[imm] = a
        reg[d] = wrap_sixteen(value)
        if done == 0:
            pc = jump
    for k in range(4):
        reg_out[m, k] = reg[k]
    if present(steps_out):
        steps_out[m] = steps
    if present(halted):
        halted[m] = done
    if present(memory_out):
        for k in range(16):
            memory_out[m, k] = mem[k]


@law("codes", "the quantiser of a coefficient by its place in the block and the step", title="quant_factor|forward_scale|mf_factor", private=True, function=True)
def quant_factor(step: key, place: key) -> key:
    if step == 0:
        return wp.where(place == 0, 13107, wp.where(place == 2, 5243, 8066))
    if step == 1:
        return wp.where(place == 0, 11916, wp.where(place == 2, 4660, 7490))
    if step == 2:
        return wp.where(place == 0, 10082, wp.where(place == 2, 4194, 6554))
    if step == 3:
        return wp.where(place == 0, 9362, wp.where(place == 2, 3647, 5825))
    if step == 4:
        return wp.where(place == 0, 8192, wp.where(place == 2, 3355, 5243))
    return wp.where(place == 0, 7282, wp.where(place == 2, 2893, 4559))


@law("codes", "the scale of a level by its place in the block and the step", title="dequant_factor|inverse_scale|rescale_factor", private=True, function=True)
def rescale_factor(step: key, place: key) -> key:
    if step == 0:
        return wp.where(place == 0, 10, wp.where(place == 2, 16, 13))
    if step == 1:
        return wp.where(place == 0, 11, wp.where(place == 2, 18, 14))
    if step == 2:
        return wp.where(place == 0, 13, wp.where(place == 2, 20, 16))
    if step == 3:
        return wp.where(place == 0, 14, wp.where(place == 2, 23, 18))
    if step == 4:
        return wp.where(place == 0, 16, wp.where(place == 2, 25, 20))
    return wp.where(place == 0, 18, wp.where(place == 2, 29, 23))


@scene("integer", "nested_loop", "reduction", "combined", "function", element,
       says="codes each block of a picture as a video coder does: prediction, whole-number transform, quantisation, and the way back to pixels, with the error and the number of levels",
       title="code_blocks|transform_code|block_round_trip|encode_residuals", algorithm="4x4 integer transform and quantisation of H.264", rare=True)
def code_blocks(px: each(pixel_level, element, 4, 4), guess: each(pixel_level, element, 4, 4), qp: setting(key, 12, 34), deadzone: maybe(setting(key, 5, 6), 0.4), rec: out(pixel_level, element, 4, 4), sse: out(key), levels: out(count_value), dc_out: maybe(out(key), 0.5), skipped: maybe(add(count_value, 1), 0.5)):
    names(px="px|source|orig_px|cur", guess="guess|pred|predicted|reference_px", qp="qp|quant_p|quality_q|q_step", t="t|work|coef|buf", s0="s0|p0|e0|sum03", s1="s1|p1|e1|sum12", s2="s2|p2|e2|dif12", s3="s3|p3|e3|dif03", big="big|qp_div|shift_q|period", step="step|qp_mod|rem_q|phase_q", bits="bits|qbits|shift_all|scale_b", half="half|offset_q|round_q|bias_q", lev="lev|level_q|q_val|coded", mag="mag|size_c|abs_c|amount", place="place|pos_class|where_c|cls_p", n="n|nonzero|num_lev|count_l", err="err|sum_sq|dist_b|ssd", v="v|out_px|val|pix")
    e = wp.tid()
    t = wp.zeros(shape=16, dtype=int)
    for y in range(4):
        for x in range(4):
            t[4 * y + x] = px[e, y, x] - guess[e, y, x]
    note("rows, then columns, with sums, differences and doubling only|forward transform")
    for y in range(4):
        s0 = t[4 * y] + t[4 * y + 3]
        s1 = t[4 * y + 1] + t[4 * y + 2]
        s2 = t[4 * y + 1] - t[4 * y + 2]
        s3 = t[4 * y] - t[4 * y + 3]
        t[4 * y] = s0 + s1
        t[4 * y + 1] = 2 * s3 + s2
        t[4 * y + 2] = s0 - s1
        t[4 * y + 3] = s3 - 2 * s2
    for x in range(4):
        s0 = t[x] + t[x + 12]
        s1 = t[x + 4] + t[x + 8]
        s2 = t[x + 4] - t[x + 8]
        s3 = t[x] - t[x + 12]
        t[x] = s0 + s1
        t[x + 4] = 2 * s3 + s2
        t[x + 8] = s0 - s1
        t[x + 12] = s3 - 2 * s2
    big = qp // 6
    step = qp % 6
    bits = 15 + big
    if present(deadzone):
        note("a smaller offset drops more small levels|wider dead zone")
        half = (1 << bits) // deadzone
    else:
        half = (1 << bits) // 3
    n = int(0)
    if present(dc_out):
        dc_out[e] = t[0]
    for y in range(4):
        for x in range(4):
            note("corners of the pattern, mixed places, centres|three classes of places")
            place = y % 2 + x % 2
            mag = wp.abs(t[4 * y + x])
            lev = (mag * quant_factor(step, place) + half) >> bits
            if t[4 * y + x] < 0:
                lev = 0 - lev
            if lev != 0:
                n += 1
            t[4 * y + x] = lev * rescale_factor(step, place) << big
    if present(levels):
        levels[e] = n
    if present(skipped):
        if n == 0:
            wp.atomic_add(skipped, 0, 1)
    for y in range(4):
        s0 = t[4 * y] + t[4 * y + 2]
        s1 = t[4 * y] - t[4 * y + 2]
        s2 = (t[4 * y + 1] >> 1) - t[4 * y + 3]
        s3 = t[4 * y + 1] + (t[4 * y + 3] >> 1)
        t[4 * y] = s0 + s3
        t[4 * y + 1] = s1 + s2
        t[4 * y + 2] = s1 - s2
        t[4 * y + 3] = s0 - s3
    for x in range(4):
        s0 = t[x] + t[x + 8]
        s1 = t[x] - t[x + 8]
        s2 = (t[x + 4] >> 1) - t[x + 12]
        s3 = t[x + 4] + (t[x + 12] >> 1)
        t[x] = s0 + s3
        t[x + 4] = s1 + s2
        t[x + 8] = s1 - s2
        t[x + 12] = s0 - s3
    err = int(0)
    for y in range(4):
        for x in range(4):
            v = wp.clamp(guess[e, y, x] + ((t[4 * y + x] + 32) >> 6), 0, 255)
            rec[e, y, x] = v
            err += (v - px[e, y, x]) * (v - px[e, y, x])
    if present(sse):
        sse[e] = err


@law("works", "the colour of a glowing body by its temperature, as tristimulus values of unit luminance", title="planckian_white|planckian_locus", private=True, function=True)
def planckian_white(kelvin: kelvin_light) -> colour:
    names(kelvin="kelvin|temperature", u="u|inv_t", x="x|x_c", y="y|y_c")
    u = 1000.0 / kelvin
    if kelvin < 4000.0:
        x = 0.179910 + u * (0.8776956 + u * (-0.2343589 + u * -0.2661239))
        y = -0.16748867 + x * (2.09137015 + x * (-1.37418593 + x * -0.9549476))
    else:
        x = 0.240390 + u * (0.2226347 + u * (2.1070379 + u * -3.0258469))
        y = -0.37001483 + x * (3.75112997 + x * (-5.87338670 + x * 3.0817580))
    return wp.vec3(x / y, 1.0, (1.0 - x - y) / y)


@law("works", "a rational tone curve with a toe and a shoulder", title="filmic_curve|aces_approx", private=True, function=True)
def filmic_curve(x: gain) -> ratio:
    names(x="x|v")
    return wp.clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0)


@scene("combined", "math", "multi_conditional", "arithmetic", "scalar_param", "vector", "matrix", pixel,
       says="develops the colours of a sensor for the screen: {black:black level, }white balance by the temperature of the light, exposure, {vign:vignetting, }{sat:saturation, }a {curve=0:filmic}{curve=1:Reinhard} tone curve and the sRGB code of the display",
       title="develop_raw|camera_pipeline|sensor_to_srgb", algorithm="colour pipeline with the Planckian locus, von Kries and a tone curve", topic="")
def film_pipeline(raw: each(sensor_rgb), kelvin: setting(kelvin_light, 2600.0, 8500.0, fixed=True), black: maybe(setting(ratio, 0.005, 0.02), 0.6), exposure: setting(value, -1.0, 1.5), sat: maybe(setting(gain, 0.7, 1.3), 0.6), vign: maybe(setting(ratio, 0.1, 0.5), 0.5), img: out(colour), luma: maybe(out(luminance), 0.5), hist: maybe(add(count_value, 16), 0.3)):
    names(raw="raw|sensor_rgb", kelvin="kelvin|color_temperature", rgb="rgb|color", xyz="xyz|xyz_in", white="white|white_xyz", cone_w="cone_white|lms_white", cone="lms|cones", lum="lum|luminance", k="gain|exposure_gain", px="nx|px", py="ny|py", exposure="exposure|exposure_ev", sat="saturation|sat", vign="vignette|vignetting", img="out|image_out", luma="luma|luminance_out", hist="histogram|luma_hist", black="black_level|black")
    i, j = wp.tid()
    rgb = raw[i, j]
    if present(black):
        rgb = wp.max(rgb - wp.vec3(black, black, black), wp.vec3(0.0, 0.0, 0.0)) / (1.0 - black)
    xyz = constant("RGB_TO_XYZ", wp.mat33(0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.0721750, 0.0193339, 0.1191920, 0.9503041)) * rgb
    note("into the responses of the three cones, scale, and back|von Kries with Bradford's matrix")
    white = planckian_white(kelvin)
    cone_w = constant("BRADFORD", wp.mat33(0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296)) * white
    cone = constant("BRADFORD", wp.mat33(0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296)) * xyz
    cone = wp.cw_div(wp.cw_mul(cone, wp.vec3(0.9414, 1.0404, 1.0895)), cone_w)
    xyz = constant("BRADFORD_INV", wp.mat33(0.9869929, -0.1470543, 0.1599627, 0.4323053, 0.5183603, 0.0492912, -0.0085287, 0.0400428, 0.9684867)) * cone
    rgb = constant("XYZ_TO_RGB", wp.mat33(3.2404542, -1.5371385, -0.4985314, -0.9692660, 1.8760108, 0.0415560, 0.0556434, -0.2040259, 1.0572252)) * xyz
    k = wp.pow(2.0, exposure)
    if present(vign):
        note("the lens is darker towards the corners: make up for it|undo the fall-off")
        px = 2.0 * (float(j) + 0.5) / float(count(pixel, 1)) - 1.0
        py = 2.0 * (float(i) + 0.5) / float(count(pixel, 0)) - 1.0
        k = k * (1.0 + vign * (px * px + py * py))
    rgb = wp.max(rgb * k, wp.vec3(0.0, 0.0, 0.0))
    lum = wp.dot(rgb, wp.vec3(0.2126729, 0.7151522, 0.0721750))
    if present(sat):
        rgb = wp.max(wp.lerp(wp.vec3(lum, lum, lum), rgb, sat), wp.vec3(0.0, 0.0, 0.0))
    if present(luma):
        luma[i, j] = lum
    match choose("curve"):
        case 2:
            note("a toe for the shadows, a shoulder for the lights|filmic curve")
            rgb = wp.vec3(filmic_curve(rgb[0]), filmic_curve(rgb[1]), filmic_curve(rgb[2]))
        case 1:
            rgb = wp.vec3(rgb[0] / (1.0 + rgb[0]), rgb[1] / (1.0 + rgb[1]), rgb[2] / (1.0 + rgb[2]))
    img[i, j] = wp.vec3(encode_srgb(rgb[0]), encode_srgb(rgb[1]), encode_srgb(rgb[2]))
    if present(hist):
        note("histogram of the luminance, in stops of a quarter|exposure histogram")
        wp.atomic_add(hist, wp.clamp(int(lum * 4.0), 0, 15), 1)
