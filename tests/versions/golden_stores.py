"""Stores and updates: parts of elements, loaded indices, rows, views, struct fields."""

import warp as wp


@wp.struct
class Leaf:
    v: wp.vec3
    m: wp.mat22
    q: wp.quat
    t: wp.transform
    n: int


@wp.struct
class Branch:
    leaf: Leaf
    w: float


@wp.struct
class Bag:
    items: wp.array(dtype=Leaf)
    grid: wp.array2d(dtype=wp.vec2)
    raw: wp.array(dtype=float)


@wp.kernel
def deep_parts(b: wp.array(dtype=Branch), x: wp.array(dtype=float)):
    i = wp.tid()
    b[i].leaf.v.x = x[i]
    b[i].leaf.v[1] = x[i]
    b[i].leaf.m[0, 1] = x[i]
    b[i].leaf.t.p = wp.vec3(x[i])
    b[i].leaf.n = 3
    b[i].w = 1.0


@wp.kernel
def deep_rows(b: wp.array(dtype=Branch), x: wp.array(dtype=float), o: wp.array(dtype=int)):
    i = wp.tid()
    b[o[i]].leaf.v[o[0]] = x[o[i]]
    b[i].leaf.m[0] = wp.vec2(x[i], 1.0)
    b[i].leaf.m[1] += wp.vec2(x[i], 1.0)
    b[i].leaf.t.p.y = x[i]
    b[i].leaf.m[1].x = x[i]
    b[i].leaf.m[0][1] = x[i]


@wp.kernel
def deep_updates(b: wp.array(dtype=Branch), x: wp.array(dtype=float)):
    i = wp.tid()
    b[i].leaf.v.x += x[i]
    b[i].leaf.v -= wp.vec3(x[i])
    b[i].leaf.n += 1
    b[i].leaf.n *= 2
    b[i].w += x[i] * 2.0


@wp.kernel
def bag_of_arrays(bag: Bag, x: wp.array(dtype=float)):
    i = wp.tid()
    bag.items[i].v.z = x[i]
    bag.grid[i, 0].y = x[i]
    bag.grid[i][0][1] += x[i]
    bag.raw[i] += x[i]
    bag.raw[i] = bag.raw[i] + 1.0


@wp.kernel
def array_of_bags(bags: wp.array(dtype=Bag), x: wp.array(dtype=float)):
    i = wp.tid()
    bags[i].raw[i] = x[i]
    bags[i].grid[0, i].x = x[i]
    bags[0].items[i].m[0, 0] += x[i]


@wp.kernel
def local_array_parts(x: wp.array(dtype=float)):
    i = wp.tid()
    a = wp.zeros(shape=4, dtype=wp.vec3)
    a[0].x = x[i]
    a[1][2] = x[i]
    a[1][2] += 2.0
    x[i] = a[0].x + a[1][2]


@wp.kernel
def by_loaded_index(a: wp.array(dtype=wp.vec3), o: wp.array(dtype=int), x: wp.array(dtype=float)):
    i = wp.tid()
    a[o[i]][o[0]] += x[i]
    x[o[i]] += x[o[0]]
    x[o[i]] = a[o[i]][o[0]]


@wp.kernel(enable_backward=False)
def scaled_by_loaded_index(a: wp.array(dtype=wp.vec3), o: wp.array(dtype=int), x: wp.array(dtype=float)):
    i = wp.tid()
    x[o[i]] *= x[i]
    a[o[i]] *= x[i]
    a[o[i]][o[0]] *= x[i]
    a[o[i]].y /= 2.0


@wp.kernel
def narrow_integers(a: wp.array(dtype=wp.int8), b: wp.array(dtype=wp.uint16), o: wp.array(dtype=int)):
    i = wp.tid()
    a[i] += wp.int8(1)
    b[o[i]] -= wp.uint16(2)
    b[i] |= wp.uint16(4)


@wp.kernel
def narrow_vectors(a: wp.array(dtype=wp.vec2s), b: wp.array(dtype=wp.vec3ub)):
    i = wp.tid()
    a[i].x += wp.int16(1)
    b[i][1] = wp.uint8(7)
    a[i] += wp.vec2s(wp.int16(1), wp.int16(2))


@wp.kernel
def local_components(x: wp.array(dtype=float), o: wp.array(dtype=int)):
    i = wp.tid()
    v = wp.vec3(x[i])
    m = wp.mat22(x[i])
    q = wp.quat(0.0, 0.0, 0.0, x[i])
    t = wp.transform(wp.vec3(x[i]), q)
    v.x = x[o[i]]
    v[o[i]] = x[i]
    v[o[i]] += x[o[0]]
    m[0, o[i]] = x[i]
    m[1] = wp.vec2(x[i])
    m[1, 1] *= x[i]
    q.w = x[i]
    t.p = v
    t.q = q
    x[i] = v.x + m[0, 0] + q.x + t.p.x


@wp.kernel
def local_struct(leaves: wp.array(dtype=Leaf), x: wp.array(dtype=float)):
    i = wp.tid()
    b = Branch()
    b.leaf = leaves[i]
    b.leaf.v = wp.vec3(x[i])
    b.leaf.v.y = x[i]
    b.leaf.m[0, 1] = x[i]
    b.w = x[i]
    b.w += x[i]
    b.w *= 2.0
    leaves[i] = b.leaf
    x[i] = b.w


@wp.kernel
def through_views(g: wp.array3d(dtype=wp.vec3), x: wp.array(dtype=float), o: wp.array(dtype=int)):
    i = wp.tid()
    layer = g[i]
    row = layer[o[i]]
    row[0].x = x[i]
    g[i][0][1].y += x[i]
    g[i, 0, 1][2] = x[i]
    part = g[i, 1:3]
    part[0, 1].z = x[i]
    mixed = g[:, 0, o[i]]
    mixed[1] = wp.vec3(x[i])
    x[i] = row[0].x + mixed[0].y


@wp.kernel
def indexed_parts(a: wp.indexedarray(dtype=wp.vec3), s: wp.indexedarray(dtype=Leaf), x: wp.array(dtype=float)):
    i = wp.tid()
    a[i].x = x[i]
    a[i][1] += x[i]
    s[i].n = 4
    s[i].v = a[i]


@wp.kernel
def swapped_elements(a: wp.array(dtype=float), b: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    t = a[i]
    a[i] = a[i + 1]
    a[i + 1] = t
    b[i] = b[i + 1]
    b[i].x = b[i + 1].y
    b[i][1] = b[i][2]


@wp.kernel
def bits_of_parts(a: wp.array(dtype=wp.vec2i), b: wp.array(dtype=wp.vec2ul)):
    i = wp.tid()
    a[i].x |= 3
    a[i][1] &= 5
    b[i].y ^= wp.uint64(9)
    a[i].x <<= 1
    a[i] += wp.vec2i(1, 2)


@wp.kernel
def halves(a: wp.array(dtype=wp.vec3h), x: wp.array(dtype=wp.float16), d: wp.array(dtype=wp.mat33d)):
    i = wp.tid()
    a[i].x += x[i]
    a[i][2] = x[i]
    d[i][0, 2] -= wp.float64(x[i])
    d[i][1] = wp.vec3d(wp.float64(x[i]))


@wp.kernel
def quaternions_in_arrays(q: wp.array(dtype=wp.quat), t: wp.array(dtype=wp.transform), x: wp.array(dtype=float)):
    i = wp.tid()
    q[i].w = x[i]
    q[i][0] += x[i]
    t[i].q = q[i]
    t[i].p = wp.vec3(x[i])
    t[i][6] = x[i]
    t[i].p += wp.vec3(x[i])
    t[i].q.x = x[i]
