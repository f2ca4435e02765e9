"""Whole models, step by step: fields of crops, batteries, clouds, drugs, trading, lifts, signals, voices."""


@law("models", "how much a plant grows for its warmth and water, from nothing to full", title="stress_factor|growth_limit|water_stress", private=True)
def stress_factor(level: soil_moisture, wilt: soil_moisture, full: soil_moisture) -> ratio:
    return wp.clamp((level - wilt) / (full - wilt), 0.0, 1.0)


@scene("multi_conditional", "control_flow", "combined", cell,
       says="grows a crop in each field over a season: phases by warmth, growth limited by water, harvest when ripe and damage by frost",
       title="crop_season|grow_crops|season_model|crop_growth", algorithm="daily crop growth model", topic="biology|climate")
def crop_season(t_max: each(day_maximum, cell, 8), t_min: each(day_minimum, cell, 8, range=(-4.0, 12.0)), rain: each(rainfall, cell, 8), base: setting(base_temperature), cap: setting(cap_temperature), store: setting(bucket_capacity), soil: inout(soil_moisture), biomass: out(population_rate), stage: maybe(out(kind_value), 0.7), yield_out: maybe(out(population), 0.6), frost_days: maybe(out(count_value), 0.5)):
    names(heat="heat|gdd_sum|warmth|thermal", mass="mass|dry_matter|bio|plant", water="water|level|moisture|bucket", gain="gain|growth|daily|increment", phase="phase|stage_now|crop_state|period", grain="grain|harvest|ears|product", frost="frost|cold_days|damaged|freezes", need="need|demand|uptake|transpire", warm="warm|dd|degree|today")
    f = wp.tid()
    heat = float(0.0)
    mass = float(1.0)
    grain = float(0.0)
    frost = int(0)
    phase = int(0)
    water = soil[f]
    for day in range(8):
        warm = degree_day(t_max[f, day], t_min[f, day], base, cap)
        heat += warm
        note("rain fills the soil, the rest runs off")
        water = wp.min(water + rain[f, day], store)
        if phase == 0:
            note("the seed waits for warmth")
            if heat > number(8.0, 16.0):
                phase = 1
        elif phase == 1:
            need = 0.3 * mass
            gain = warm * 0.2 * stress_factor(water, 5.0, 40.0)
            if t_min[f, day] < 0.0:
                frost += 1
                if mass < 4.0:
                    note("young plants die back")
                    mass -= 0.5 * mass
                else:
                    gain = 0.0
            mass += gain
            water = wp.max(water - need, 0.0)
            if heat > number(45.0, 70.0):
                phase = 2
        elif phase == 2:
            note("leaves feed the grain")
            if water > 2.0:
                grain += 0.15 * mass
                water -= 2.0
            else:
                grain += 0.05 * mass
            if heat > number(75.0, 100.0):
                phase = 3
        else:
            note("ripe: losses until the harvest")
            grain = grain * 0.97
    soil[f] = water
    biomass[f] = mass
    if present(stage):
        stage[f] = phase
    if present(yield_out):
        yield_out[f] = grain
    if present(frost_days):
        frost_days[f] = frost


@scene("multi_conditional", "control_flow", "scalar_param", item,
       says="dispatches batteries over the hours of a demand: charge and discharge within limits of charge, power and temperature",
       title="dispatch_batteries|battery_dispatch|simulate_batteries", algorithm="rule-based battery dispatch", topic="electromagnetics|heat")
def battery_day(demand: each(power, item, time_sample, range=(-6.0, 6.0)), soc_start: each(ratio), capacity: setting(positive_value, 5.0, 20.0), max_power: setting(positive_value, 2.0, 5.0), loss: setting(ratio, 0.02, 0.1), cooling: setting(ratio, 0.1, 0.4), heating: setting(positive_value, 0.2, 0.6), ambient: setting(cell_heat, 18.0, 26.0), max_temp: setting(cell_heat, 28.0, 36.0), soc_min: setting(ratio, 0.05, 0.2), soc_max: setting(ratio, 0.85, 0.97), soc_out: out(ratio), unmet: maybe(out(positive_value), 0.6), hot_hours: maybe(out(count_value), 0.5)):
    names(demand="demand|power_demand", soc_start="initial_soc|soc_start", soc="soc|charge", want="requested|power_req", p="power|p", temp="temp|temperature", lack="shortfall|unserved", n="n_hot|num_hot", loss="loss|loss_fraction", capacity="capacity|capacity_kwh", cooling="cooling|cooling_rate", heating="heating|heating_coeff", ambient="ambient|ambient_temp", max_temp="max_temp|temp_limit", soc_out="final_soc|soc_end", unmet="unmet|unmet_energy", hot_hours="hot_hours|hours_hot", max_power="max_power|power_limit")
    b = wp.tid()
    soc = soc_start[b]
    temp = float(ambient)
    lack = float(0.0)
    n = int(0)
    for hour in range(count(time_sample)):
        want = demand[b, hour]
        p = wp.clamp(want, -max_power, max_power)
        if temp > max_temp:
            note("hot cells work at half power|derate")
            n += 1
            p = 0.5 * p
        note("never below the lowest charge, never above the highest|limits of the charge")
        if p > 0.0:
            p = wp.min(p, wp.max(soc - soc_min, 0.0) * capacity / (1.0 + loss))
            soc -= p * (1.0 + loss) / capacity
        else:
            p = wp.max(p, -wp.max(soc_max - soc, 0.0) * capacity / (1.0 - loss))
            soc -= p * (1.0 - loss) / capacity
        temp += heating * p * p - cooling * (temp - ambient)
        if want > p:
            lack += want - p
    soc_out[b] = soc
    if present(unmet):
        unmet[b] = lack
    if present(hot_hours):
        hot_hours[b] = n


@scene("multi_conditional", "function", "combined", cell,
       says="computes rain from clouds in each column: condensation, growth of drops, fall and evaporation below",
       title="cloud_column|warm_rain|microphysics|rain_formation", algorithm="bulk warm-rain microphysics", topic="climate|heat",
       lossy=True)
def cloud_column(t: each(air_temperature, cell, 6), rh: each(humidity, cell, 6, range=(0.4, 1.3)), qc: inout(positive_value, cell, 6, range=(0.0, 1.5)), rate: setting(rate_constant), start: setting(positive_value, 0.3, 0.8), ground: out(rainfall), cover: maybe(out(ratio), 0.6), snow: maybe(out(flag), 0.5)):
    names(fall="fall|rain_down|flux|shower", sat="sat|e_sat|capacity_v|holds", cond="cond|new_cloud|formed|condensed", auto="auto|to_rain|conversion|drops", acc="acc|swept|collected|accretion", evap="evap|lost|dried|back", k="k|lev|layer|z_k", cloudy="cloudy|layers|n_cloud|covered", start="start|threshold_q|auto_limit|onset")
    c = wp.tid()
    fall = float(0.0)
    cloudy = int(0)
    for lev in range(6):
        note("from the top down")
        k = 5 - lev
        sat = saturation_pressure(t[c, k])
        if rh[c, k] > 1.0:
            cond = 0.1 * (rh[c, k] - 1.0) * sat
            qc[c, k] = qc[c, k] + cond
        if qc[c, k] > 0.01:
            cloudy += 1
            auto = float(0.0)
            if qc[c, k] > start:
                note("large drops begin to fall")
                auto = rate * (qc[c, k] - start)
            acc = wp.min(0.5 * rate * qc[c, k] * wp.sqrt(fall + 0.001), qc[c, k])
            auto = wp.min(auto + acc, qc[c, k])
            qc[c, k] = qc[c, k] - auto
            fall += auto
        else:
            if fall > 0.0 and rh[c, k] < 1.0:
                note("dry air below the cloud")
                evap = wp.min(0.2 * (1.0 - rh[c, k]) * wp.sqrt(fall), fall)
                fall -= evap
    ground[c] = fall
    if present(cover):
        cover[c] = float(cloudy) / 6.0
    if present(snow):
        snow[c] = 0
        if t[c, 0] < number(0.5, 2.0):
            if fall > 0.0:
                snow[c] = 1


@scene("nested_loop", "scalar_param", "control_flow", path,
       says="follows a drug in blood and tissue of each patient with repeated doses and a pause when the level is too high",
       title="dosing_regimen|two_compartment|drug_levels|pk_simulation", algorithm="two-compartment pharmacokinetics, explicit Euler", topic="biology|chemistry",
       lossy=True)
def drug_levels(dose: each(dose), weight: each(mass, range=(40.0, 100.0)), k_out: setting(elimination_rate), k_in: setting(rate_constant, 0.05, 0.4), k_back: setting(rate_constant, 0.05, 0.3), high: setting(positive_value, 1.0, 4.0), every: setting(steps_value, 4, 8), peak: out(concentration), last: maybe(out(concentration), 0.6), given: maybe(out(count_value), 0.6), skipped: maybe(out(count_value), 0.4)):
    names(blood="blood|central|c1|plasma", tissue="tissue|peripheral|c2|deep", vol="vol|v_dist|litres|volume_i", c="c|level|conc|plasma_level", n="n|doses_given|taken|shots", top="top|c_max|highest|max_level", over="over|hours_high|time_above|toxic", flow="flow|exchange|net|transfer", high="high|limit|c_toxic|upper", every="every|interval|period_h|spacing")
    i = wp.tid()
    note("the drug spreads in a part of the body|distribution volume")
    vol = constant("VOLUME_PER_KG|DISTRIBUTION|VD", 0.05) * weight[i]
    dt = constant("STEP_HOURS|DT_HOURS|HOUR_STEP", 0.5)
    blood = float(0.0)
    tissue = float(0.0)
    top = float(0.0)
    over = int(0)
    n = int(0)
    for step in range(48):
        c = blood / vol
        if step % every == 0:
            if c < high:
                blood += dose[i]
                n += 1
            else:
                note("the level is still too high: this dose is left out")
                fact("doses are skipped while the level is too high")
                over += 1
        flow = k_in * blood - k_back * tissue
        blood = blood - (k_out * blood + flow) * dt
        tissue = tissue + flow * dt
        c = blood / vol
        top = wp.max(top, c)
        if maybe(0.3):
            if c < 0.001 and step > 24:
                break
    peak[i] = top
    if present(last):
        last[i] = blood / vol
    if present(given):
        given[i] = n
    if present(skipped):
        skipped[i] = over


@scene("multi_conditional", "control_flow", "struct", asset,
       says="trades each asset by the crossing of a fast and a slow average, with stop loss, take profit and fees",
       title="backtest_crossover|backtest|run_crossover_strategy", algorithm="moving-average crossover backtest", topic="finance")
def backtest(price: each(price, asset, time_sample), fast: setting(smoothing_alpha, 0.4, 0.7), slow: setting(smoothing_alpha, 0.05, 0.25), stop_loss: setting(ratio, 0.05, 0.2), take_profit: setting(ratio, 0.1, 0.4), fee: setting(ratio, 0.001, 0.01), initial_cash: setting(cash, 500.0, 5000.0), wealth: out(cash), trades: maybe(out(count_value), 0.7), exposure: maybe(out(ratio), 0.4), drawdown: maybe(out(drawdown), 0.4)):
    names(fast_ema="fast_ema|ema_fast", slow_ema="slow_ema|ema_slow", cash="cash|balance", shares="shares|position", entry="entry_price|entry", n="num_trades|n_trades", days="bars_held|days_held", p="p|close", peak="peak|high_water", dd="max_dd|worst_dd", gain="gain|ret", equity="equity|value", price="prices|close_prices", fast="alpha_fast|fast_alpha", slow="alpha_slow|slow_alpha", trades="trades|trade_counts", wealth="final_value|final_wealth", exposure="exposure|time_in_market", drawdown="max_drawdown|drawdowns", fee="fee_rate|fee")
    k = wp.tid()
    fast_ema = price[k, 0]
    slow_ema = price[k, 0]
    cash = float(initial_cash)
    shares = float(0.0)
    entry = float(0.0)
    peak = float(initial_cash)
    dd = float(0.0)
    n = int(0)
    days = int(0)
    equity = float(initial_cash)
    for t in range(1, count(time_sample)):
        p = price[k, t]
        fast_ema = exponential_mean(fast_ema, p, fast)
        slow_ema = exponential_mean(slow_ema, p, slow)
        if shares > 0.0:
            days += 1
            gain = p / entry - 1.0
            note("stop loss, take profit, or the trend has turned|sell")
            if gain < -stop_loss or gain > take_profit or fast_ema < slow_ema:
                cash += shares * p * (1.0 - fee)
                shares = 0.0
                n += 1
        elif fast_ema > slow_ema:
            note("buy with what is there, less the fee|buy")
            shares = cash * (1.0 - fee) / p
            cash = 0.0
            entry = p
            n += 1
        equity = cash + shares * p
        peak = wp.max(peak, equity)
        dd = wp.max(dd, 1.0 - equity / peak)
    wealth[k] = equity
    if present(trades):
        trades[k] = n
    if present(exposure):
        exposure[k] = float(days) / float(count(time_sample) - 1)
    if present(drawdown):
        drawdown[k] = dd


@scene("control_flow", "multi_conditional", "integer", item,
       says="runs lifts through calls from the floors: they go on in their direction while there are calls ahead, open doors and turn round",
       title="lift_controller|run_elevators|elevator_step|serve_calls", algorithm="SCAN (elevator) scheduling")
def elevator(calls: each(flag, item, 8), floor0: each(label, range=(0, 7)), up0: each(flag), limit: setting(steps_value, 8, 12), served: out(count_value), at: maybe(out(label), 0.6), travel: maybe(out(count_value), 0.5), work: inout(flag, item, 8)):
    names(floor="floor|here|level|pos", dir="dir|way|heading|step_dir", open="open|door_timer|doors_open|dwell", n="n|done|stops|served_n", moved="moved|floors_run|distance_f|rides", ahead="ahead|more|pending_on|calls_on", behind="behind|back_calls|calls_back|other_way", work="work|pending|queue|requests", limit="limit|max_ticks|ticks|horizon")
    i = wp.tid()
    for f in range(constant("NUM_FLOORS|FLOORS|FLOOR_COUNT", 8, "floors")):
        work[i, f] = calls[i, f]
    floor = floor0[i]
    dir = int(-1)
    if up0[i] == 1:
        dir = 1
    n = int(0)
    moved = int(0)
    open = int(0)
    for tick in range(limit):
        if open > 0:
            note("doors are open")
            open -= 1
            continue
        if work[i, floor] == 1:
            work[i, floor] = 0
            n += 1
            open = integer(1, 2)
            continue
        ahead = int(0)
        behind = int(0)
        for f in range(constant("NUM_FLOORS|FLOORS|FLOOR_COUNT", 8, "floors")):
            if work[i, f] == 1:
                if (f - floor) * dir > 0:
                    ahead += 1
                else:
                    behind += 1
        if ahead > 0:
            floor = floor + dir
            moved += 1
        elif behind > 0:
            note("nobody further on: turn round")
            dir = -dir
            floor = floor + dir
            moved += 1
        else:
            note("no calls: rest")
            break
    served[i] = n
    if present(at):
        at[i] = floor
    if present(travel):
        travel[i] = moved


@scene("control_flow", "math", "multi_conditional", item,
       says="synthesises a note: a sawtooth or square wave with envelope, vibrato, low-pass filter and soft clipping",
       title="render_voice|synth_note|play_notes|voice_block", algorithm="subtractive synthesis voice", topic="audio|signal")
def synth_voice(note_in: each(midi_note), wave: kind(SAW, SQUARE, TRIANGLE), attack: setting(attack_time, 0.05, 0.3), decay: setting(decay_time), sustain: setting(sustain_level), depth: setting(ratio, 0.001, 0.02), cut: setting(smoothing_alpha, 0.1, 0.6), drive: maybe(setting(gain, 0.5, 2.0), 0.5), sound: out(signal, item, 12), loud: maybe(out(amplitude), 0.6)):
    names(f="f|freq|hz|pitch", ph="ph|phase|cycle|turn", env="env|amp|level|adsr", s="s|osc|raw|wave_v", y="y|low|filtered|lp", t="t|sec|time_s|clock", top="top|peak|max_abs|loudest", note_in="notes|midi|keys|pitch_in", depth="depth|vibrato|lfo_depth|wobble", wave="wave|shape|waveform|osc_kind")
    v = wp.tid()
    f = note_frequency(note_in[v])
    y = float(0.0)
    ph = float(0.0)
    top = float(0.0)
    for n in range(12):
        t = float(n) * number(0.02, 0.08)
        env = note_envelope(t, attack, decay, sustain)
        note("vibrato of six cycles per second")
        ph += 0.0005 * f * (1.0 + depth * wp.sin(2.0 * wp.pi * 6.0 * t))
        ph = ph - wp.floor(ph)
        if wave[v] == SAW:
            s = 2.0 * ph - 1.0
        elif wave[v] == SQUARE:
            s = float(-1.0)
            if ph < 0.5:
                s = 1.0
        else:
            s = 4.0 * wp.abs(ph - 0.5) - 1.0
        y = low_pass_step(s * env, y, cut)
        if present(drive):
            if wp.abs(y * drive) > 0.2:
                note("warm up the loud parts")
                sound[v, n] = soft_clip(y * drive)
            else:
                sound[v, n] = y * drive
        else:
            sound[v, n] = y
        top = wp.max(top, wp.abs(y))
    if present(loud):
        loud[v] = top


@scene("multi_conditional", "control_flow", "scalar_param", cell,
       says="controls the heating of rooms over half a day with a schedule, hysteresis{open_w:, open windows} and a limit of switching",
       title="thermostat_day|room_control|heating_schedule|run_thermostats", algorithm="hysteresis control with minimum on-time", topic="")
def thermostat(t_out: each(temperature, cell, 12, range=(268.0, 290.0)), open_w: maybe(each(flag, cell, 12), 0.5), t0: each(temperature, range=(285.0, 296.0)), day: setting(temperature, 293.0, 295.0), night: setting(temperature, 288.0, 290.0), band: setting(temperature_difference, 0.3, 1.0), leak: setting(rate_constant, 0.02, 0.1), power_k: setting(positive_value, 1.0, 3.0), t_end: out(temperature), used: maybe(out(power), 0.7), starts: maybe(out(count_value), 0.6), cold: maybe(out(count_value), 0.4)):
    names(t="t|room|inside|temp", on="on|heating|burner|state_on", goal="goal|target|setpoint|wanted", run="run|on_time|since|held", n="n|switches|starts_n|cycles", energy="energy|hours_on|heat_used|work", chilly="chilly|below|cold_hours|misses", loss="loss|leak_now|cooling|drain", open_w="open_w|window|window_open|airing")
    r = wp.tid()
    t = t0[r]
    on = int(0)
    run = int(5)
    n = int(0)
    energy = float(0.0)
    chilly = int(0)
    for hour in range(12):
        goal = night
        if hour >= 3 and hour < 10:
            goal = day
        loss = leak
        if present(open_w):
            if open_w[r, hour] == 1:
                note("open window: fast losses, heating off")
                fact("heating pauses while a window is open")
                loss = 4.0 * leak
                if on == 1:
                    on = 0
                    run = 0
        run += 1
        if on == 1:
            if t > goal + band:
                if run >= integer(1, 3):
                    on = 0
                    run = 0
        else:
            if t < goal - band:
                if run >= 1:
                    if loss < 3.0 * leak:
                        on = 1
                        run = 0
                        n += 1
        t = t - loss * (t - t_out[r, hour]) + power_k * float(on)
        energy += power_k * float(on)
        if t < goal - 2.0 * band:
            chilly += 1
    t_end[r] = t
    if present(used):
        used[r] = energy
    if present(starts):
        starts[r] = n
    if present(cold):
        cold[r] = chilly
