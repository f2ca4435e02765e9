"""Bodies in motion, by the principle of virtual work."""

import numpy as np
from textbook import reference


@reference
def planar_newton_euler(s):
    torque, base, power, tip = [], [], [], []
    for i, (theta, rate, accel, length, mass) in enumerate(zip(s.theta, s.rate, s.accel, s.length_, s.mass)):
        phi, spin, turn = np.cumsum(theta), np.cumsum(rate), np.cumsum(accel)
        along, across = np.stack([np.cos(phi), np.sin(phi)], 1), np.stack([-np.sin(phi), np.cos(phi)], 1)
        link_acc = length[:, None] * (turn[:, None] * across - (spin ** 2)[:, None] * along)  # of a link's end against its start
        n, points = len(theta), []  # (mass, share of each link up to the point)
        for k in range(n):
            share = np.where(np.arange(n) < k, 1.0, np.where(np.arange(n) == k, 0.5, 0.0))
            points.append((mass[k], share))
        if s.has("load"):
            points.append((s.load[i], np.ones(n)))
        raw, total = np.zeros(n), np.zeros(2)
        for m, share in points:
            force = m * ((share[:, None] * link_acc).sum(0) + np.array([0.0, 9.81]))
            total += force
            for joint in range(n):  # how the point moves when this joint turns
                raw[joint] += force @ (share[joint:, None] * length[joint:, None] * across[joint:]).sum(0)
        for joint in range(n):
            raw[joint] += sum(mass[k] * length[k] ** 2 / 12.0 * turn[k] for k in range(joint, n))
        given, coulomb = raw.copy(), s.has("friction") and s.choice("bound") == 1
        if coulomb:
            given += np.where(rate > 0.0, s.friction, -s.friction)
        elif s.has("friction"):
            given += s.friction * rate
        if s.has("limit") and not coulomb:
            given = np.clip(given, -s.limit, s.limit)
        torque.append(given)
        base.append(total)
        power.append(raw @ rate)
        tip.append((length[:, None] * along).sum(0))
    return {"torque": torque, "base_force": base, "power": power, "tip": tip}
