"""The earth, its maps and colours, from standards."""

import numpy as np
from textbook import reference


@reference
def ecef_to_geodetic(s):
    a, e2 = 6378137.0, 0.00669437999014
    lat, h = s.role("lat", s.after), s.role("h", s.after)
    n = a / np.sqrt(1 - e2 * np.sin(lat) ** 2)
    # forwards again: the closed formulas must give the coordinates back
    p, z = (n + h) * np.cos(lat), (n * (1 - e2) + h) * np.sin(lat)
    right = (abs(p - np.hypot(s.x, s.y)) < 1e-3) & (abs(z - s.z) < 1e-3)
    return {"lat": np.where(right, lat, 99.0), "h": np.where(right, h, 1e9), "lon": np.arctan2(s.y, s.x)}


def unit_vectors(lat, lon):
    la, lo = np.radians(lat), np.radians(lon)
    return np.stack([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)], -1)


@reference
def great_circle(s):
    a, b = unit_vectors(s.lat0, s.lon0), unit_vectors(s.lat, s.lon)
    d = 6371 * np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), b @ a)
    east = np.array([-np.sin(np.radians(s.lon0)), np.cos(np.radians(s.lon0)), 0])
    north = np.cross(a, east)
    low = [min(s.closest[0], d.min())] if s.has("closest") else None
    return {"d": d, "course": np.arctan2(b @ east, b @ north), "within": d <= s.reach if s.has("reach") else None, "closest": low}


@reference
def project_map(s):
    r = 6371.0
    p = np.radians(s.lat)
    lam = (np.radians(s.lon - s.lon0) + np.pi) % (2 * np.pi) - np.pi
    c = np.cos(p) * np.cos(lam)
    k = np.sqrt(2 / (1 + c))
    lost = (s.how == 3) & (c < -0.95)
    x = np.choose(s.how, [lam, lam, lam * np.cos(p), np.where(lost, 0, k * np.cos(p) * np.sin(lam))])
    y = np.choose(s.how, [np.arctanh(np.sin(p)), p, p, np.where(lost, 0, k * np.sin(p))])
    scale = np.choose(s.how, [1 / np.cos(p), np.ones_like(p), np.cos(p), np.where(lost, 0, k)])
    return {"x": r * x, "y": r * y, "scale": scale, "hidden": [lost.sum()]}


@reference
def web_tiles(s):
    n = 2**s.zoom
    p = np.radians(np.clip(s.lat, -85, 85))
    x = np.clip((s.lon + 180) / 360 * n, 0, n - 1e-9).astype(int)
    y = np.clip((1 - np.arcsinh(np.tan(p)) / np.pi) / 2 * n, 0, n - 1e-9).astype(int)
    quad = [int("".join(f"{2 * int(b) + int(a)}" for a, b in zip(f"{i:0{s.zoom}b}", f"{j:0{s.zoom}b}")), 4) for i, j in zip(x, y)]
    load = np.zeros(16)
    for q in quad:
        i, j = 0, 0
        for digit in np.base_repr(q, 4).zfill(s.zoom)[:2]:
            i, j = 2 * i + int(digit) % 2, 2 * j + int(digit) // 2
        load[4 * j + i] += 1
    return {"tx": x, "ty": y, "quad": quad, "load": load}


@reference
def ciede2000(s):
    p, q = np.column_stack([s.l1, s.p]), np.column_stack([s.l2, s.q])
    mean = (np.hypot(p[:, 1], p[:, 2]) + np.hypot(q[:, 1], q[:, 2])) / 2
    g = (1 - np.sqrt(mean**7 / (mean**7 + 25**7))) / 2
    z1, z2 = (1 + g) * p[:, 1] + 1j * p[:, 2], (1 + g) * q[:, 1] + 1j * q[:, 2]
    c1, c2 = abs(z1), abs(z2)
    h1, h2 = np.degrees(np.angle(z1)) % 360, np.degrees(np.angle(z2)) % 360
    dh = (h2 - h1 + 180) % 360 - 180
    dhh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(dh / 2))
    hm = (h1 + dh / 2) % 360
    lm, cm = (p[:, 0] + q[:, 0]) / 2, (c1 + c2) / 2

    def cosd(x):
        return np.cos(np.radians(x))

    t = 1 - 0.17 * cosd(hm - 30) + 0.24 * cosd(2 * hm) + 0.32 * cosd(3 * hm + 6) - 0.20 * cosd(4 * hm - 63)
    sl = (1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)) * (s.kl if s.has("kl") else 1.0)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    turn = 30 * np.exp(-(((hm - 275) / 25) ** 2))
    rt = -2 * np.sqrt(cm**7 / (cm**7 + 25**7)) * np.sin(np.radians(2 * turn))
    l, c, h = (q[:, 0] - p[:, 0]) / sl, (c2 - c1) / sc, dhh / sh
    de = np.sqrt(np.maximum(l**2 + c**2 + h**2 + rt * c * h, 0))
    return {"de": de, "same": [np.sum(de < s.cut)] if s.has("cut") else None}


@reference
def oklab_adjust(s):
    lin = np.where(s.img <= 0.04045, s.img / 12.92, ((s.img + 0.055) / 1.055) ** 2.4)
    to_lms = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]])
    to_lab = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]])
    lab = np.cbrt(lin @ to_lms.T) @ to_lab.T
    z = (lab[..., 1] + 1j * lab[..., 2]) * s.chroma * np.exp(1j * (s.turn if s.has("turn") else 0.0))
    lab = np.stack([lab[..., 0] + (s.lift if s.has("lift") else 0.0), z.real, z.imag], -1)
    # backwards by the inverses of the matrices, which the standard rounds to ten digits
    rgb = np.clip((lab @ np.linalg.inv(to_lab).T) ** 3 @ np.linalg.inv(to_lms).T, 0, 1)
    return {"res": np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055)}


@reference
def panel_power(s):
    la = np.radians(s.lat)[:, None]
    dec = np.radians(23.45) * np.sin(2 * np.pi * (284 + s.day) / 365)
    ha = np.radians(15 * (s.hour - 12))[None]
    sun = np.stack([-np.cos(dec) * np.sin(ha) + 0 * la, np.sin(dec) * np.cos(la) - np.cos(dec) * np.sin(la) * np.cos(ha),
                    np.sin(dec) * np.sin(la) + np.cos(dec) * np.cos(la) * np.cos(ha)], -1)  # east, north, up
    towards = np.where(s.lat < 0, 1.0, -1.0)
    panel = np.stack([0 * towards, towards * np.sin(s.tilt), np.full_like(towards, np.cos(s.tilt))], -1)
    up = sun[..., 2]
    air = 1 / (np.maximum(up, 0) + 0.05)
    beam = 1361 * (np.exp(-s.haze * air) if s.has("haze") else 0.7 ** (air**0.678))
    beam = beam * (1 - 0.75 * s.cloud[:, None] ** 3.4) if s.has("cloud") else beam
    p = np.where(up > 0, 0.001 * beam * np.maximum(np.einsum("ijk,ik->ij", sun, panel), 0), 0)
    length = 24 / np.pi * np.arccos(np.clip(-np.tan(la) * np.tan(dec), -1, 1)) + 0 * ha
    return {"p": p, "elev": np.arcsin(up), "light_hours": length}


@reference
def byte_luma(s):
    wr, wg, wb = ((77, 150, 29), (54, 183, 19))[s.choice("weights")]
    v = (wr * s.red.astype(int) + wg * s.green.astype(int) + wb * s.blue.astype(int) + 128) // 256
    v = 255 - v if s.has("invert") and s.invert == 1 else v
    return {"luma": np.where(s.mask == 0, 0, v) if s.has("mask") else v}
