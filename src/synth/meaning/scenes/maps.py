"""The earth and its maps, the sun, colours and their differences, data in bytes."""


@scene("math", "control_flow", "function", sample,
       says="turns geocentric coordinates into geodetic latitude and height on the ellipsoid, in double precision",
       title="ecef_to_geodetic|geodetic_from_ecef|cartesian_to_geodetic|earth_coordinates", algorithm="iteration for geodetic latitude",
       lossy=True)
def ecef_to_geodetic(x: each(ecef_metre), y: each(ecef_metre), z: each(ecef_metre), lat: out(geodetic_angle), lon: maybe(out(geodetic_angle), 0.7), h: out(geodetic_height), rounds: maybe(out(count_value), 0.4)):
    names(a="a|equator|semi_major|radius_e", e2="e2|ecc_sq|esq|flat_term", p="p|rho|axis_dist|from_axis", phi="phi|lat_i|guess|latitude_r", sn="sn|sin_phi|s_lat|sphi", nn="nn|prime_vert|curv_n|r_n", new="new|next_phi|better|phi_next", k="k|n_iter|turns|count_i", rounds="rounds|iterations_out|steps_out|n_rounds")
    i = wp.tid()
    a = wp.float64(6378137.0)
    e2 = wp.float64(0.00669437999014)
    p = wp.sqrt(x[i] * x[i] + y[i] * y[i])
    phi = wp.atan2(z[i], p * (wp.float64(1.0) - e2))
    k = int(0)
    nn = a
    while k < 10:
        sn = wp.sin(phi)
        nn = a / wp.sqrt(wp.float64(1.0) - e2 * sn * sn)
        new = wp.atan2(z[i] + e2 * nn * sn, p)
        k += 1
        note("a hundredth of a millimetre|converged")
        if wp.abs(new - phi) < wp.float64(1.0e-12):
            phi = new
            break
        phi = new
    lat[i] = phi
    sn = wp.sin(phi)
    nn = a / wp.sqrt(wp.float64(1.0) - e2 * sn * sn)
    h[i] = p / wp.cos(phi) - nn
    if present(lon):
        lon[i] = wp.atan2(y[i], x[i])
    if present(rounds):
        rounds[i] = k


@scene("math", "function", "scalar_param", sample,
       says="computes the distance of each place from a reference place along the great circle",
       title="great_circle|haversine_distance|range_and_bearing|sphere_distance", algorithm="haversine formula")
def great_circle(lat: each(latitude_deg), lon: each(longitude_deg), lat0: setting(latitude_deg), lon0: setting(longitude_deg), d: out(map_coordinate), course: maybe(out(angle), 0.6), within: maybe(out(flag), 0.4), reach: maybe(setting(map_coordinate, 1000.0, 9000.0), 1.0), closest: maybe(inout(map_coordinate, 1, range=(20000.0, 20100.0)), 0.4)):
    names(pa="pa|phi1|lat_a|la", pb="pb|phi2|lat_b|lb", dl="dl|dlon|lambda_d|turn", sh="sh|half_sin|hav_lat|sa", sl="sl|half_lon|hav_lon|sb", q="q|hav|chord_sq|a_h", r="r|dist_km|arc|separation", course="course|bearing_out|azimuth|initial_course", reach="reach|range_km|max_range|radius_km", within="within|in_range|covered|reachable", closest="closest|nearest_km|min_range|d_min")
    i = wp.tid()
    pa = wp.radians(lat0)
    pb = wp.radians(lat[i])
    dl = wp.radians(lon[i] - lon0)
    sh = wp.sin(0.5 * (pb - pa))
    sl = wp.sin(0.5 * dl)
    q = sh * sh + wp.cos(pa) * wp.cos(pb) * sl * sl
    r = 2.0 * constant("EARTH_RADIUS|EARTH_KM", 6371.0) * wp.asin(wp.min(wp.sqrt(q), 1.0))
    d[i] = r
    if present(course):
        note("clockwise from north")
        course[i] = wp.atan2(wp.sin(dl) * wp.cos(pb), wp.cos(pa) * wp.sin(pb) - wp.sin(pa) * wp.cos(pb) * wp.cos(dl))
    if present(reach) and present(within):
        if r <= reach:
            within[i] = 1
        else:
            within[i] = 0
    if present(closest):
        wp.atomic_min(closest, 0, r)


@scene("math", "multi_conditional", "scalar_param", sample,
       says="projects geographic coordinates onto a map by one of four projections of the sphere",
       title="project_map|map_projection|geographic_to_map|plot_coordinates", algorithm="Mercator, equirectangular, sinusoidal or azimuthal equal-area projection")
def project_map(lat: each(latitude_deg), lon: each(longitude_deg), lon0: setting(longitude_deg, -60.0, 60.0), how: kind(MERCATOR, PLATE_CARREE, SINUSOIDAL, EQUAL_AREA), x: out(map_coordinate), y: out(map_coordinate), scale: maybe(out(positive_value), 0.4), hidden: maybe(add(count_value, 1), 0.3)):
    names(phi="phi|lat_r|p|latr", lam="lam|lon_r|dl|lonr", c="c|cosine|toward|cc", k="k|stretch|fac|kp", r="r|earth_r|radius_m|big_r", how="how|projection|proj_kind|map_type", hidden="hidden|far_side|not_shown|beyond", scale="scale|distortion|point_scale|k_out")
    i = wp.tid()
    r = constant("EARTH_RADIUS|SPHERE_RADIUS", 6371.0)
    phi = wp.radians(lat[i])
    lam = wp.radians(lon[i] - lon0)
    note("the shorter way round|wrap the longitude")
    if lam > wp.pi:
        lam = lam - 2.0 * wp.pi
    elif lam < -wp.pi:
        lam = lam + 2.0 * wp.pi
    k = float(1.0)
    if how[i] == MERCATOR:
        x[i] = r * lam
        y[i] = r * wp.log(wp.tan(0.25 * wp.pi + 0.5 * phi))
        k = 1.0 / wp.cos(phi)
    elif how[i] == PLATE_CARREE:
        x[i] = r * lam
        y[i] = r * phi
    elif how[i] == SINUSOIDAL:
        note("parallels keep their lengths")
        x[i] = r * lam * wp.cos(phi)
        y[i] = r * phi
        k = wp.cos(phi)
    else:
        c = wp.cos(phi) * wp.cos(lam)
        if c < -0.95:
            note("too close to the point opposite to the centre")
            if present(hidden):
                wp.atomic_add(hidden, 0, 1)
            x[i] = 0.0
            y[i] = 0.0
            if present(scale):
                scale[i] = 0.0
            return
        k = wp.sqrt(2.0 / (1.0 + c))
        x[i] = r * k * wp.cos(phi) * wp.sin(lam)
        y[i] = r * k * wp.sin(phi)
    if present(scale):
        scale[i] = k


@scene("integer", "math", "control_flow", sample,
       says="finds the square map tile of each place at a zoom level",
       title="tile_of_place|web_tiles|quadkeys|map_tile_index", algorithm="Web Mercator tiles and quadkeys")
def web_tiles(lat: each(latitude_deg), lon: each(longitude_deg), zoom: setting(tile_number, 3, 8), tx: out(tile_number), ty: out(tile_number), quad: maybe(out(bits), 0.7), load: maybe(add(count_value, 16), 0.3)):
    names(n="n|tiles_n|side_n|grid_n", phi="phi|lat_r|la|radlat", u="u|fx|x01|gx", v="v|fy|y01|gy", a="a|tile_x|ix|col_t", b="b|tile_y|iy|row_t", q="q|quadkey|code|key_q", zoom="zoom|zoom_level|level_z|depth_z", load="load|root_counts|coarse_hits|sector_load")
    i = wp.tid()
    n = 1 << zoom
    phi = wp.radians(wp.clamp(lat[i], -85.0, 85.0))
    u = (lon[i] + 180.0) / 360.0
    v = 0.5 - wp.log(wp.tan(phi) + 1.0 / wp.cos(phi)) / (2.0 * wp.pi)
    a = wp.clamp(int(u * float(n)), 0, n - 1)
    b = wp.clamp(int(v * float(n)), 0, n - 1)
    tx[i] = a
    ty[i] = b
    if present(quad):
        note("the bits of both indices in turn|interleave")
        q = int(0)
        for k in range(8):
            if k < zoom:
                q = q | (((a >> k) & 1) << (2 * k)) | (((b >> k) & 1) << (2 * k + 1))
        quad[i] = wp.uint32(q)
    if present(load):
        wp.atomic_add(load, ((b >> (zoom - 2)) << 2) | (a >> (zoom - 2)), 1)


@scene("math", "function", "multi_conditional", item,
       says="computes how different two colours look, by the formula of the year 2000 with its corrections of lightness, chroma and hue",
       title="ciede2000|color_difference|delta_e_2000|perceived_difference", algorithm="CIEDE2000 colour difference")
def ciede2000(l1: each(lab_lightness), p: each(opponent_pair), l2: each(lab_lightness), q: each(opponent_pair), kl: maybe(setting(positive_value, 1.0, 2.0), 0.3), de: out(colour_difference), same: maybe(add(count_value, 1), 0.4), cut: maybe(setting(colour_difference, 2.0, 20.0), 1.0)):
    names(a1="a1|pa|red1|u1", a2="a2|qa|red2|u2", b1="b1|pb|yel1|v1", b2="b2|qb|yel2|v2", g="g|boost|g_c|ghalf", c1="c1|chroma1|cp1|cpa", c2="c2|chroma2|cp2|cpb", h1="h1|hue1|hp1|hpa", h2="h2|hue2|hp2|hpb", dh="dh|dhue|hue_gap|dhp", hm="hm|hue_mean|h_bar|hbp", lm="lm|light_mean|l_bar|lbp", cm="cm|chroma_mean|c_bar|cbp", t="t|t_hue|tt|tw", sl="sl|s_l|weight_l|wl", sc="sc|s_c|weight_c|wc", sh="sh|s_h|weight_h|wh", rt="rt|rot|r_t|blue_term", dhh="dhh|big_dh|dhv|metric_h", c7="c7|cm7|pow7|c_seven", big="big|k25|c25_7|pow25", dc="dc|dchroma|c_gap|dcp", dl="dl|dlight|l_gap|dlp", e="e|diff_e|total_e|de00_i")
    names(l1="l1|light_ref|lightness_a|l_std", l2="l2|light_smp|lightness_b|l_smp", p="p|ab_ref|opponent_a|ab_std", q="q|ab_smp|opponent_b|ab_sample")
    i = wp.tid()
    a1 = p[i][0]
    a2 = q[i][0]
    b1 = p[i][1]
    b2 = q[i][1]
    cm = 0.5 * (wp.sqrt(a1 * a1 + b1 * b1) + wp.sqrt(a2 * a2 + b2 * b2))
    c7 = wp.pow(cm, 7.0)
    big = constant("C25_7|POW25_7", 6103515625.0)
    g = 0.5 * (1.0 - wp.sqrt(c7 / (c7 + big)))
    a1 = a1 * (1.0 + g)
    a2 = a2 * (1.0 + g)
    c1 = wp.sqrt(a1 * a1 + b1 * b1)
    c2 = wp.sqrt(a2 * a2 + b2 * b2)
    h1 = hue_degrees(a1, b1)
    h2 = hue_degrees(a2, b2)
    note("differences")
    dl = l2[i] - l1[i]
    dc = c2 - c1
    dh = h2 - h1
    if dh > 180.0:
        dh = dh - 360.0
    elif dh < -180.0:
        dh = dh + 360.0
    dhh = 2.0 * wp.sqrt(c1 * c2) * wp.sin(wp.radians(0.5 * dh))
    note("means")
    lm = 0.5 * (l1[i] + l2[i])
    cm = 0.5 * (c1 + c2)
    hm = 0.5 * (h1 + h2)
    if wp.abs(h1 - h2) > 180.0:
        if h1 + h2 < 360.0:
            hm = hm + 180.0
        else:
            hm = hm - 180.0
    t = 1.0 - 0.17 * wp.cos(wp.radians(hm - 30.0)) + 0.24 * wp.cos(wp.radians(2.0 * hm)) + 0.32 * wp.cos(wp.radians(3.0 * hm + 6.0)) - 0.2 * wp.cos(wp.radians(4.0 * hm - 63.0))
    sl = 1.0 + 0.015 * (lm - 50.0) * (lm - 50.0) / wp.sqrt(20.0 + (lm - 50.0) * (lm - 50.0))
    sc = 1.0 + 0.045 * cm
    sh = 1.0 + 0.015 * cm * t
    c7 = wp.pow(cm, 7.0)
    note("blue colours turn the ellipses")
    rt = -2.0 * wp.sqrt(c7 / (c7 + big)) * wp.sin(wp.radians(60.0 * wp.exp(-((hm - 275.0) / 25.0) * ((hm - 275.0) / 25.0))))
    if present(kl):
        sl = sl * kl
    e = wp.sqrt(wp.max((dl / sl) * (dl / sl) + (dc / sc) * (dc / sc) + (dhh / sh) * (dhh / sh) + rt * (dc / sc) * (dhh / sh), 0.0))
    de[i] = e
    if present(same) and present(cut):
        if e < cut:
            wp.atomic_add(same, 0, 1)


@scene("math", "vector", "function", "matrix", pixel,
       says="adjusts an sRGB image in Oklab, a space of even perception: scales the chroma{turn:, turns the hue}{lift:, shifts the lightness}, and encodes the result in sRGB again",
       title="adjust_oklab|oklab_adjust|grade_in_oklab", algorithm="adjustment in Oklab")
def oklab_adjust(img: each(colour, range=(0.05, 0.95)), chroma: setting(gain, 0.5, 1.2), turn: maybe(setting(angle, -1.0, 1.0), 0.6), lift: maybe(setting(value, -0.05, 0.05), 0.3), res: out(colour)):
    names(rgb="rgb|linear", lms="lms|cones", lab="lab|oklab", a="a|new_a", b="b|new_b", lin="lin|out_rgb", img="img|image", res="out|result", turn="hue_shift|hue_angle", lift="lightness_shift|lift", chroma="chroma_gain|chroma", p="p|pixel")
    i, j = wp.tid()
    p = img[i, j]
    rgb = wp.vec3(decode_srgb(p[0]), decode_srgb(p[1]), decode_srgb(p[2]))
    note("cone responses, compressed by the cube root")
    lms = constant("RGB_TO_LMS", wp.mat33(0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376, 0.6299787005)) * rgb
    lms = wp.vec3(wp.cbrt(lms[0]), wp.cbrt(lms[1]), wp.cbrt(lms[2]))
    lab = constant("LMS_TO_LAB", wp.mat33(0.2104542553, 0.7936177850, -0.0040720468, 1.9779984951, -2.4285922050, 0.4505937099, 0.0259040371, 0.7827717662, -0.8086757660)) * lms
    a = lab[1] * chroma
    b = lab[2] * chroma
    if present(turn):
        lab = wp.vec3(lab[0], wp.cos(turn) * a - wp.sin(turn) * b, wp.sin(turn) * a + wp.cos(turn) * b)
    else:
        lab = wp.vec3(lab[0], a, b)
    if present(lift):
        lab = lab + wp.vec3(lift, 0.0, 0.0)
    note("and all the way back|back to linear light")
    lms = constant("LAB_TO_LMS", wp.mat33(1.0, 0.3963377774, 0.2158037573, 1.0, -0.1055613458, -0.0638541728, 1.0, -0.0894841775, -1.2914855480)) * lab
    lms = wp.vec3(lms[0] * lms[0] * lms[0], lms[1] * lms[1] * lms[1], lms[2] * lms[2] * lms[2])
    lin = constant("LMS_TO_RGB", wp.mat33(4.0767416621, -3.3077115913, 0.2309699292, -1.2684380046, 2.6097574011, -0.3413193965, -0.0041960863, -0.7034186147, 1.7076147010)) * lms
    res[i, j] = wp.vec3(encode_srgb(wp.clamp(lin[0], 0.0, 1.0)), encode_srgb(wp.clamp(lin[1], 0.0, 1.0)), encode_srgb(wp.clamp(lin[2], 0.0, 1.0)))


@scene("math", "control_flow", "function", (sample, time_sample),
       says="computes the power of the sun on a tilted panel for each place and hour of a day",
       title="panel_power|solar_yield|sun_on_panel|hourly_irradiance", algorithm="solar position and irradiance on a tilted plane", topic="")
def panel_power(lat: each(latitude_deg, sample, range=(-60.0, 60.0)), day: setting(day_number), hour: each(clock_hour, time_sample, range=(0.0, 24.0)), tilt: setting(angle, 0.1, 0.9), cloud: maybe(each(ratio, sample), 0.4), haze: maybe(setting(ratio, 0.1, 0.4), 0.5), p: out(power), elev: maybe(out(angle), 0.5), light_hours: maybe(out(clock_hour), 0.3)):
    names(la="la|phi|lat_r|place", dec="dec|declination|delta_s|decl", ha="ha|hour_angle|omega|turn", el="el|height_s|alt_sun|sun_h", dl="dl|day_len|daylight|hours_l", inc="inc|cos_i|on_panel|incidence", air="air|mass_a|path_air|thick", direct="direct|beam|dni|clear_sky", haze="haze|optical_depth|turbidity|tau_air", light_hours="light_hours|day_length_out|sun_hours|daylen")
    names(tilt="tilt|panel_tilt|roof_pitch|slope_p", p="p|panel_watts|yield_out|pv_power")
    s, t = wp.tid()
    la = wp.radians(lat[s])
    dec = wp.radians(23.45) * wp.sin(2.0 * wp.pi * float(284 + day) / 365.0)
    ha = wp.radians(15.0 * (hour[t] - 12.0))
    el, dl = sun_height_and_day(la, dec, ha)
    if present(light_hours):
        light_hours[s, t] = dl
    if present(elev):
        elev[s, t] = el
    if el <= 0.0:
        note("night")
        p[s, t] = 0.0
        return
    air = 1.0 / (wp.sin(el) + 0.05)
    if present(haze):
        direct = 1361.0 * wp.exp(-haze * air)
    else:
        direct = 1361.0 * wp.pow(0.7, wp.pow(air, 0.678))
    note("panels face the equator|tilted towards noon")
    inc = wp.sin(dec) * wp.sin(la - tilt) + wp.cos(dec) * wp.cos(la - tilt) * wp.cos(ha)
    if lat[s] < 0.0:
        inc = wp.sin(dec) * wp.sin(la + tilt) + wp.cos(dec) * wp.cos(la + tilt) * wp.cos(ha)
    if present(cloud):
        fact("clouds take a part of the light")
        direct = direct * (1.0 - 0.75 * wp.pow(cloud[s], 3.4))
    p[s, t] = 0.001 * direct * wp.max(inc, 0.0)


@scene("integer", "control_flow", "arithmetic", pixel,
       says="converts the bytes of three colour channels to luma with integers alone{invert:, inverted on demand}",
       title="rgb_to_gray|rgb_to_luma|integer_luma", algorithm="integer luma")
def byte_luma(red: each(byte_level), green: each(byte_level), blue: each(byte_level), mask: maybe(each(flag), 0.4), invert: maybe(setting(flag, fixed=True), 0.4), luma: out(byte_level)):
    names(v="y|v", red="red|r", green="green|g", blue="blue|b", luma="gray|luma", invert="invert|negative", mask="mask|valid")
    i, j = wp.tid()
    if present(mask):
        if mask[i, j] == 0:
            note("masked pixels are black")
            luma[i, j] = wp.uint8(0)
            return
    match choose("weights"):
        case 2:
            note("weights of 77, 150 and 29 out of 256|BT.601 in fixed point")
            v = (77 * int(red[i, j]) + 150 * int(green[i, j]) + 29 * int(blue[i, j]) + 128) >> 8
        case 1:
            note("weights of 54, 183 and 19 out of 256|BT.709 in fixed point")
            v = (54 * int(red[i, j]) + 183 * int(green[i, j]) + 19 * int(blue[i, j]) + 128) >> 8
    if present(invert):
        if invert == 1:
            v = 255 - v
    luma[i, j] = wp.uint8(v)
