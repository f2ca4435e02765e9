"""Lists that threads append to: a counter hands out places."""


@scene("glue", "atomic", "integer", some(particle, body, contact, ray, agent, vertex, cell),
       says="collects the indices of the @s whose flag is set into a list, in any order{near: and that are near enough}",
       title="collect_active|compact_@s|gather_active|build_active_list|append_@s", topic="")
def collect_indices(flag_in: each(flag), near: maybe(each(distance), 0.3), reach: setting(distance, 0.3, 1.2), counter: add(count_value, 1), list_out: out(index_value), place_out: maybe(out(index_value), 0.3)):
    names(flag_in="active|mask|enabled|is_active", near="dist|distances|gap", reach="cutoff|max_dist|margin", counter="count|counter|num_active|active_count", list_out="active_ids|indices_out|active_list|compact_ids", place_out="slot_index|places|remap", slot="slot|idx|offset|at")
    i = wp.tid()
    if flag_in[i] == 0:
        return
    if present(near):
        if near[i] > reach:
            return
    slot = wp.atomic_add(counter, 0, 1)
    list_out[slot] = i
    if present(place_out):
        place_out[i] = slot


@scene("glue", "atomic", "geometry", some(contact, spring, edge),
       says="appends a contact for each pair of spheres that are nearer than a margin{full:, unless the list is full}",
       title="sphere_contacts|generate_contacts|write_contacts|collide_spheres", topic="")
def append_contacts(pair: index(sphere, 2), x: each(position, sphere), radius_in: each(radius, sphere), margin: setting(distance, 0.05, 0.3), counter: add(count_value, 1), a_out: out(index_value), b_out: maybe(out(index_value), 0.8)):
    names(pair="pairs|pair_ids|candidates", x="sphere_pos|centers|pos", radius_in="sphere_radius|radii|radius", margin="margin|contact_margin|skin", counter="contact_count|num_contacts|count", a_out="contact_a|contact_shape0|geom_a", b_out="contact_b|contact_shape1|geom_b", a="a|ia|s0", b="b|ib|s1", d="d|gap|dist", slot="slot|index|cid|contact_id")
    i = wp.tid()
    a = pair[i, 0]
    b = pair[i, 1]
    if a == b:
        return
    d = wp.length(x[a] - x[b]) - radius_in[a] - radius_in[b]
    if d > margin:
        return
    slot = wp.atomic_add(counter, 0, 1)
    if maybe(0.4, "full"):
        if slot >= constant("MAX_CONTACTS|CONTACT_MAX|MAX_PAIRS", 4096):
            note("the list is full|no room left")
            return
    a_out[slot] = a
    if present(b_out):
        b_out[slot] = b


@scene("glue", "atomic", some(particle, body, agent, contact, ray),
       says="lists the @s of each world, in any order, with a counter per world",
       title="list_by_world|bin_@s|group_by_world|fill_world_lists", topic="")
def lists_per_world(world_in: index(environment), active: maybe(each(flag), 0.4), counter: add(count_value, environment), member: out(index_value)):
    names(world_in="@_world|world_ids|env_ids|@_env", active="active|mask|enabled", counter="world_count|env_count|num_per_world|@_counts", member="rank_out|slot_in_world|local_ids|local_index", w="w|world|worldid|env", slot="slot|k|rank|local_id")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            member[i] = -1
            return
    w = world_in[i]
    slot = wp.atomic_add(counter, w, 1)
    member[i] = slot


@scene("glue", "atomic", some(particle, agent, contact, vertex, body),
       says="puts each @ into the list of its cell, which has room for a fixed number{lost:, and counts those that do not fit}",
       title="fill_cells|build_cell_lists|bin_@s|insert_@s", topic="")
def cell_lists(at: index(cell), active: maybe(each(flag), 0.3), counter: add(count_value, cell), members: out(index_value, cell, 64), lost: maybe(add(count_value, 1), 0.4)):
    names(at="@_cell|cell_ids|cell_of|cells", active="active|mask|enabled", counter="cell_count|counts|fill", members="cell_items|members|cell_list|bucket", lost="overflow|dropped|num_lost", c="c|cell|cell_id", slot="slot|k|idx|offset")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    c = at[i]
    slot = wp.atomic_add(counter, c, 1)
    if slot < constant("CELL_CAPACITY|MAX_PER_CELL|BUCKET_SIZE", 64):
        members[c, slot] = i
    else:
        if present(lost):
            wp.atomic_add(lost, 0, 1)
