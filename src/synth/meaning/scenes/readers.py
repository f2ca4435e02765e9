"""Work with many cases: reading text, clipping, searching, scoring, judging."""


@law("geometry", "the sides of a window on which a point lies, one bit for each side", title="outcode|region_code|outside_bits", private=True, function=True)
def window_code(p: point2, half: length) -> index_value:
    names(p="p|pt", half="half|extent", code="code|bits")
    code = int(0)
    if p[0] < -half:
        code = code | 1
    elif p[0] > half:
        code = code | 2
    if p[1] < -half:
        code = code | 4
    elif p[1] > half:
        code = code | 8
    return code


@scene("multi_conditional", "control_flow", "integer", segment,
       says="clips each line segment to a square window by the algorithm of Cohen and Sutherland{visible: and says whether anything is left}{length_out:, with the length of what is left}",
       title="clip_segments|cohen_sutherland|clip_lines|clip_to_window", algorithm="Cohen and Sutherland's line clipping", topic="", rare=True,
       lossy=True)
def clip_segments(a: inout(point2), b: inout(point2), half: setting(length, 0.6, 1.4), skip: maybe(each(flag), 0.3), visible: maybe(out(flag), 0.7), length_out: maybe(out(distance), 0.5), cut: maybe(add(count_value, 1), 0.4)):
    names(p="p|start", q="q|end", ca="ca|code_a", cb="cb|code_b", c="c|code_out", x="x|cx", y="y|cy", inside="inside|accepted", n="n|rounds")
    names(a="a|starts", b="b|ends", half="half|half_width", skip="skip|hidden", visible="visible|visible_out", length_out="length_out|lengths", cut="cut|num_clipped")
    s = wp.tid()
    if present(skip):
        if skip[s] == 1:
            return
    p = a[s]
    q = b[s]
    ca = window_code(p, half)
    cb = window_code(q, half)
    inside = int(0)
    n = int(0)
    while n < 5:
        n += 1
        if ca == 0 and cb == 0:
            note("both ends are inside|accept")
            inside = 1
            break
        if (ca & cb) != 0:
            note("both ends lie beyond the same side|reject")
            break
        c = ca
        if ca == 0:
            c = cb
        x = float(0.0)
        y = float(0.0)
        if (c & 8) != 0:
            x = p[0] + (q[0] - p[0]) * (half - p[1]) / (q[1] - p[1])
            y = half
        elif (c & 4) != 0:
            x = p[0] - (q[0] - p[0]) * (half + p[1]) / (q[1] - p[1])
            y = -half
        elif (c & 2) != 0:
            y = p[1] + (q[1] - p[1]) * (half - p[0]) / (q[0] - p[0])
            x = half
        else:
            y = p[1] - (q[1] - p[1]) * (half + p[0]) / (q[0] - p[0])
            x = -half
        note("the end outside moves to the side of the window")
        if c == ca:
            p = wp.vec2(x, y)
            ca = window_code(p, half)
        else:
            q = wp.vec2(x, y)
            cb = window_code(q, half)
    if inside == 1:
        if present(cut):
            if n > 1:
                wp.atomic_add(cut, 0, 1)
        a[s] = p
        b[s] = q
    if present(visible):
        visible[s] = inside
    if present(length_out):
        if inside == 1:
            length_out[s] = wp.length(q - p)
        else:
            length_out[s] = 0.0


@scene("control_flow", "multi_conditional", "integer", row,
       says="reads a decimal number from each row of characters, sign, digits, point{exponent=1:, exponent}, and flags what is no number{used:, with the number of characters that were read}",
       title="parse_decimals|parse_floats|read_numbers|text_to_float", algorithm="parsing of decimal numbers", topic="", rare=True)
def parse_decimals(text: each(frame_byte, row, 10, range=(42, 58)), value_out: out(value), bad: out(flag), used: maybe(out(count_value), 0.5), digits_out: maybe(out(count_value), 0.4), failures: maybe(add(count_value, 1), 0.4)):
    names(st="st|state", ch="ch|c", sign="sign|sgn", mantissa="mantissa|number", scale="scale|place", ex="ex|exp_value", ok="ok|is_number", n="n|num_digits", at="at|pos")
    names(text="text|chars", value_out="value_out|values", bad="bad|invalid", used="used|consumed", digits_out="digits_out|num_digits_out", failures="failures|num_invalid")
    r = wp.tid()
    sign = float(1.0)
    mantissa = float(0.0)
    scale = float(1.0)
    ex = int(0)
    n = int(0)
    ok = int(1)
    at = int(0)
    st = constant("START|AT_START", 0)
    while at < 10 and ok == 1:
        ch = text[r, at]
        if ch == constant("BLANK|PAD", 42):
            note("a blank ends the number, blanks before it do not count")
            if st != constant("START|AT_START", 0):
                break
        elif ch == constant("PLUS|PLUS_SIGN", 43) or ch == constant("MINUS|MINUS_SIGN", 45):
            if st == constant("START|AT_START", 0):
                st = constant("WHOLE|IN_WHOLE", 1)
                if ch == constant("MINUS|MINUS_SIGN", 45):
                    sign = -1.0
            else:
                ok = 0
        elif ch == constant("POINT|DOT", 46):
            if st == constant("FRACTION|IN_FRACTION", 2) or st == constant("EXPONENT|IN_EXPONENT", 3):
                note("a second point")
                ok = 0
            else:
                st = constant("FRACTION|IN_FRACTION", 2)
        elif ch >= 48 and ch <= 57:
            if st == constant("EXPONENT|IN_EXPONENT", 3):
                ex = 10 * ex + ch - 48
            else:
                n += 1
                if st == constant("FRACTION|IN_FRACTION", 2):
                    scale = 0.1 * scale
                    mantissa += scale * float(ch - 48)
                else:
                    st = constant("WHOLE|IN_WHOLE", 1)
                    mantissa = 10.0 * mantissa + float(ch - 48)
        elif ch == 58:
            match choose("exponent"):
                case 1:
                    note("end of field")
                    if st == constant("START|AT_START", 0):
                        ok = 0
                    break
                case 1:
                    note("this code stands for the letter e|exponent follows")
                    if n == 0 or st == constant("EXPONENT|IN_EXPONENT", 3):
                        ok = 0
                    else:
                        st = constant("EXPONENT|IN_EXPONENT", 3)
        else:
            match choose("other"):
                case 1:
                    ok = 0
                case 1:
                    note("thousands may be separated|separators are skipped")
                    if ch != constant("COMMA|SEPARATOR", 44) or st != constant("WHOLE|IN_WHOLE", 1):
                        ok = 0
        at += 1
    if n == 0:
        ok = 0
    if ok == 1:
        match choose("exponent"):
            case 1:
                value_out[r] = sign * mantissa
            case 1:
                for k in range(wp.min(ex, 6)):
                    mantissa = mantissa * 10.0
                value_out[r] = sign * mantissa
        bad[r] = 0
    else:
        value_out[r] = 0.0
        bad[r] = 1
        if present(failures):
            wp.atomic_add(failures, 0, 1)
    if present(used):
        used[r] = at
    if present(digits_out):
        digits_out[r] = n


@scene("multi_conditional", "integer", "control_flow", "function", row,
       says="scores five dice in the category that each player chose, as in Yacht{sum_out:, with the sum of the dice}{perfect:, and counts the yachts}",
       title="score_dice|yacht_scores|score_hands|dice_category_score", algorithm="scores of Yacht", topic="")
def score_dice(dice: each(key, row, 5, range=(1, 6)), box_: kind(ONES, SIXES, PAIR, THREE_ALIKE, FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT, YACHT, CHANCE), score_out: out(count_value), sum_out: maybe(out(count_value), 0.4), most_out: maybe(out(count_value), 0.4), perfect: maybe(add(count_value, 1), 0.4), bonus: maybe(setting(count_value, 5, 20), 0.4)):
    names(counts="counts|tally", total="total|sum_dice", most="most|max_alike", pairs="pairs|num_pairs", high="high|top_pair", run="run|run_len", longest="longest|best_run", pts="pts|points", n="n|alike")
    names(dice="dice|rolls", box_="category|boxes", score_out="score_out|scores", sum_out="sum_out|sums", most_out="most_out|most_alike", perfect="perfect|num_yachts", bonus="bonus|extra")
    r = wp.tid()
    counts = wp.zeros(shape=7, dtype=int)
    total = int(0)
    for k in range(5):
        counts[dice[r, k]] = counts[dice[r, k]] + 1
        total += dice[r, k]
    most = int(0)
    pairs = int(0)
    high = int(0)
    run = int(0)
    longest = int(0)
    for face in range(1, 7):
        n = counts[face]
        most = wp.max(most, n)
        if n >= 2:
            pairs += 1
            high = int(face)
        if n > 0:
            run += 1
            longest = wp.max(longest, run)
        else:
            run = 0
    pts = int(0)
    if box_[r] == ONES:
        pts = counts[1]
    elif box_[r] == SIXES:
        pts = 6 * counts[6]
    elif box_[r] == PAIR:
        pts = 2 * high
    elif box_[r] == THREE_ALIKE:
        if most >= 3:
            pts = int(total)
    elif box_[r] == FULL_HOUSE:
        note("three of one face and two of another")
        if most == 3 and pairs == 2:
            pts = constant("FULL_HOUSE_POINTS|HOUSE_SCORE", 25)
    elif box_[r] == SMALL_STRAIGHT:
        if longest >= 4:
            pts = constant("SMALL_POINTS|SMALL_SCORE", 30)
    elif box_[r] == LARGE_STRAIGHT:
        if longest == 5:
            pts = constant("LARGE_POINTS|LARGE_SCORE", 40)
    elif box_[r] == YACHT:
        if most == 5:
            pts = constant("YACHT_POINTS|YACHT_SCORE", 50)
    else:
        pts = int(total)
    if present(bonus):
        fact("four and more alike earn a bonus")
        if most >= 4:
            pts += bonus
    score_out[r] = pts
    if present(sum_out):
        sum_out[r] = total
    if present(most_out):
        most_out[r] = most
    if present(perfect):
        if longest == 5:
            wp.atomic_add(perfect, 0, 1)


@scene("multi_conditional", "math", "function", pixel,
       says="adjusts the colours of pixels in hue, saturation and value: turns the hue{sat_gain:, scales the saturation}{val_gain:, scales the value}, and goes back to red, green and blue{hue_out:, with the hue}",
       title="adjust_hsv|hue_shift|rotate_hue|hsv_adjust", algorithm="RGB to HSV and back", topic="", rare=True)
def adjust_hsv(rgb: each(colour), shift: setting(ratio, 0.05, 0.9), sat_gain: maybe(setting(positive_value, 0.5, 1.6), 0.6), val_gain: maybe(setting(positive_value, 0.6, 1.3), 0.5), mask: maybe(each(flag), 0.3), rgb_out: out(colour), hue_out: maybe(out(ratio), 0.5), gray: maybe(add(count_value, 1), 0.3)):
    names(c="c|px", hi="hi|cmax", lo="lo|cmin", chroma="chroma|delta", h="h|hue", sat="sat|s", val="val|v", sector="sector|side", f="f|frac", p="p|low", q="q|falling", t="t|rising")
    names(rgb="rgb|pixels", shift="shift|hue_shift", sat_gain="sat_gain|saturation", val_gain="val_gain|brightness", mask="mask|selected", rgb_out="rgb_out|pixels_out", hue_out="hue_out|hues", gray="gray|num_gray")
    i = wp.tid()
    c = rgb[i]
    if present(mask):
        if mask[i] == 0:
            rgb_out[i] = c
            if present(hue_out):
                hue_out[i] = 0.0
            return
    hi = wp.max(c[0], wp.max(c[1], c[2]))
    lo = wp.min(c[0], wp.min(c[1], c[2]))
    chroma = hi - lo
    h = float(0.0)
    if chroma > 0.0:
        if hi == c[0]:
            h = (c[1] - c[2]) / chroma
            if h < 0.0:
                h += 6.0
        elif hi == c[1]:
            h = (c[2] - c[0]) / chroma + 2.0
        else:
            h = (c[0] - c[1]) / chroma + 4.0
    h = h / 6.0 + shift
    h = h - wp.floor(h)
    sat = float(0.0)
    if hi > 0.0:
        sat = chroma / hi
    if present(gray):
        if sat < constant("GRAY_LIMIT|MIN_SATURATION", 0.3):
            wp.atomic_add(gray, 0, 1)
    if present(sat_gain):
        sat = wp.min(sat * sat_gain, 1.0)
    val = float(hi)
    if present(val_gain):
        val = wp.min(val * val_gain, 1.0)
    match choose("back"):
        case 2:
            note("which of the six sides of the colour hexagon")
            sector = int(h * 6.0)
            f = h * 6.0 - float(sector)
            p = val * (1.0 - sat)
            q = val * (1.0 - sat * f)
            t = val * (1.0 - sat * (1.0 - f))
            if sector == 0 or sector == 6:
                rgb_out[i] = wp.vec3(val, t, p)
            elif sector == 1:
                rgb_out[i] = wp.vec3(q, val, p)
            elif sector == 2:
                rgb_out[i] = wp.vec3(p, val, t)
            elif sector == 3:
                rgb_out[i] = wp.vec3(p, q, val)
            elif sector == 4:
                rgb_out[i] = wp.vec3(t, p, val)
            else:
                rgb_out[i] = wp.vec3(val, p, q)
        case 1:
            note("a ramp for each colour, a third of a turn apart")
            f = wp.clamp(wp.abs(h * 6.0 - 3.0) - 1.0, 0.0, 1.0)
            p = wp.clamp(2.0 - wp.abs(h * 6.0 - 2.0), 0.0, 1.0)
            q = wp.clamp(2.0 - wp.abs(h * 6.0 - 4.0), 0.0, 1.0)
            rgb_out[i] = (wp.vec3(1.0, 1.0, 1.0) * (1.0 - sat) + wp.vec3(f, p, q) * sat) * val
    if present(hue_out):
        hue_out[i] = h


@scene("control_flow", "integer", "reduction", node,
       says="follows the links from each node with a slow and a fast pointer until they meet, and finds how long the cycle is{tail_out: and how far away}{least_out:, with the smallest node on it}",
       title="cycle_lengths|floyd_cycles|find_cycles|tortoise_and_hare", algorithm="Floyd's cycle finding", topic="")
def cycle_lengths(link: index(node), barred: maybe(each(flag), 0.3), length_out: out(count_value), tail_out: maybe(out(count_value), 0.6), least_out: maybe(out(index_value), 0.5), longest: maybe(add(count_value, 1), 0.4), on_cycle: maybe(out(flag), 0.4)):
    names(slow="slow|tortoise", fast="fast|hare", m="m|tail", n="n|cycle_len", low="low|smallest", k="k|cur")
    names(link="link|next_node", barred="barred|skip", length_out="length_out|cycle_length", tail_out="tail_out|steps_to_cycle", least_out="least_out|cycle_label", longest="longest|max_length", on_cycle="on_cycle|is_on_cycle")
    i = wp.tid()
    if present(barred):
        if barred[i] == 1:
            length_out[i] = 0
            return
    slow = link[i]
    fast = link[link[i]]
    while slow != fast:
        slow = link[slow]
        fast = link[link[fast]]
    note("from the start and from the meeting point, step by step, both reach the entry of the cycle together")
    m = int(0)
    slow = int(i)
    while slow != fast:
        slow = link[slow]
        fast = link[fast]
        m += 1
    n = int(1)
    low = int(slow)
    k = link[slow]
    while k != slow:
        low = wp.min(low, k)
        k = link[k]
        n += 1
    length_out[i] = n
    if present(tail_out):
        tail_out[i] = m
    if present(least_out):
        least_out[i] = low
    if present(longest):
        wp.atomic_max(longest, 0, n)
    if present(on_cycle):
        if m == 0:
            on_cycle[i] = 1
        else:
            on_cycle[i] = 0


@scene("multi_conditional", "control_flow", "math", "function", row,
       says="tells for each place how warm the air feels: {chill=1:the wind chill when it is cold, }the heat index when it is warm{humid_out:, with the dew point}{level_out:, and a level of warning}",
       title="feels_like|heat_index|apparent_temperature|heat_warning", algorithm="heat index and wind chill of the National Weather Service", topic="")
def feels_like(air: each(day_temperature, range=(-15.0, 42.0)), humid: each(ratio, range=(0.08, 0.98)), wind: each(speed, range=(0.0, 15.0)), feels: out(value), level_out: maybe(out(label), 0.7), humid_out: maybe(out(value), 0.4), warned: maybe(add(count_value, 1), 0.4)):
    names(f="f|t_f", rh="rh|rel_hum", hi="hi|heat_idx", adj="adj|correction", v="v|wind_kmh", out_c="out_c|apparent", g="g|magnus", lvl="lvl|warning", p="p|v_pow")
    names(air="air|air_temp", humid="humid|humidity", wind="wind|wind_speed", feels="feels|feels_like_out", level_out="level_out|levels", humid_out="humid_out|dew_point", warned="warned|num_warned")
    r = wp.tid()
    f = air[r] * 1.8 + 32.0
    rh = 100.0 * humid[r]
    v = 3.6 * wind[r]
    out_c = air[r]
    lvl = int(0)
    note("a simple estimate first; the regression only where it is warm")
    hi = 0.5 * (f + 61.0 + (f - 68.0) * 1.2 + rh * 0.094)
    if 0.5 * (hi + f) >= 80.0:
        hi = -42.379 + 2.04901523 * f + 10.14333127 * rh - 0.22475541 * f * rh - 0.00683783 * f * f - 0.05481717 * rh * rh + 0.00122874 * f * f * rh + 0.00085282 * f * rh * rh - 0.00000199 * f * f * rh * rh
        if rh < 13.0 and f >= 80.0 and f <= 112.0:
            note("dry air")
            adj = (13.0 - rh) / 4.0 * wp.sqrt((17.0 - wp.abs(f - 95.0)) / 17.0)
            hi = hi - adj
        elif rh > 85.0 and f >= 80.0 and f <= 87.0:
            note("moist air, not hot")
            adj = (rh - 85.0) / 10.0 * ((87.0 - f) / 5.0)
            hi = hi + adj
        out_c = (hi - 32.0) / 1.8
        if hi >= 125.0:
            lvl = 4
        elif hi >= 103.0:
            lvl = 3
        elif hi >= 90.0:
            lvl = 2
        else:
            lvl = 1
    elif maybe(0.6, "chill"):
        if air[r] <= 10.0 and v > 4.8:
            note("wind chill for cold and wind")
            p = wp.pow(v, 0.16)
            out_c = 13.12 + 0.6215 * air[r] - 11.37 * p + 0.3965 * air[r] * p
            if out_c < -20.0:
                lvl = 6
            elif out_c < -10.0:
                lvl = 5
    feels[r] = out_c
    if present(level_out):
        level_out[r] = lvl
    if present(humid_out):
        g = wp.log(humid[r]) + 17.62 * air[r] / (243.12 + air[r])
        humid_out[r] = 243.12 * g / (17.62 - g)
    if present(warned):
        if lvl >= 3:
            wp.atomic_add(warned, 0, 1)
