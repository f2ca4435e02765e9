/* Builtins: edges and triangles in space. */
#include "eval/ast/builtin.h"

#include <math.h>

/* ---- the closest points of two edges ---- */

static void subtract3(const Math *m, const Dual *a, const Dual *b, Dual *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = sub(m, a[i], b[i]);
}

/* a*b - c*d without the rounding of the products: of parallel edges nothing else is left. */
static Dual product_difference(const Math *m, Dual a, Dual b, Dual c, Dual d)
{
    double slope = a.tangent * b.real + a.real * b.tangent - c.tangent * d.real - c.real * d.tangent;
    double product = c.real * d.real;
    double difference = fma(a.real, b.real, -product) + fma(-c.real, d.real, product);
    return real_result(m, difference, slope, a.real * b.real, product);
}

static Dual within_edge(Dual position)
{
    if (position.real < 0)
        return (Dual){.real = 0};
    return position.real > 1 ? (Dual){.real = 1} : position;
}

typedef struct EdgePair {
    Dual along[3], other[3], apart[3]; /* directions of the two edges; from the second start to the first */
    Dual s, t;
} EdgePair;

/* Neither edge is a point: the nearest points of the lines, moved into the edges, the second one first. */
static void place_on_edges(const Math *m, EdgePair *p, Dual a, Dual e, Dual f)
{
    Dual c = number_dot(m, p->along, p->apart, 3), b = number_dot(m, p->along, p->other, 3);
    Dual area = product_difference(m, a, e, b, b), s = {.real = 0};
    if (area.real > 0)
        s = within_edge(divide_duals(m, product_difference(m, b, f, c, e), area));
    Dual t = divide_duals(m, add(m, mul(m, b, s), f), e);
    if (t.real < 0)
        s = within_edge(divide_duals(m, neg(c), a));
    else if (t.real > 1)
        s = within_edge(divide_duals(m, sub(m, b, c), a));
    p->s = s;
    p->t = within_edge(t);
}

void geometry_edge_edge(Call *call)
{
    for (int i = 0; i < 4; i++)
        refuse_if(call, !is_vec(&call->args[i], 3) || !type_is_float(type_scalar_of(call->args[i].type)));
    refuse_if(call, !is_scalar(&call->args[4]));
    Math m = math_of(call);
    const Dual *start = call->args[0].cells, *other_start = call->args[2].cells;
    double shortest = call->args[4].cells->real;
    EdgePair p = {0};
    subtract3(&m, call->args[1].cells, start, p.along);
    subtract3(&m, call->args[3].cells, other_start, p.other);
    subtract3(&m, start, other_start, p.apart);
    Dual a = number_dot(&m, p.along, p.along, 3), e = number_dot(&m, p.other, p.other, 3),
         f = number_dot(&m, p.other, p.apart, 3);
    bool is_point = a.real <= shortest, other_is_point = e.real <= shortest;
    if (is_point && !other_is_point)
        p.t = within_edge(divide_duals(&m, f, e));
    else if (!is_point && other_is_point)
        p.s = within_edge(divide_duals(&m, neg(number_dot(&m, p.along, p.apart, 3)), a));
    else if (!is_point)
        place_on_edges(&m, &p, a, e, f);
    Dual between[3];
    for (int i = 0; i < 3; i++)
        between[i] =
            sub(&m, add(&m, other_start[i], mul(&m, p.t, p.other[i])), add(&m, start[i], mul(&m, p.s, p.along[i])));
    Dual *out = result_value(call, call->args[0].type, 3);
    out[0] = p.s;
    out[1] = p.t;
    out[2] = length_of(&m, between, 3);
}

/* ---- do two triangles meet ---- */

typedef struct Corners {
    double at[3][3];
} Corners;

static void normal_of(const Corners *t, double out[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = t->at[1][i] - t->at[0][i];
        v[i] = t->at[2][i] - t->at[0][i];
    }
    for (int i = 0; i < 3; i++)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

/* How far the corners are from the plane of the other triangle, times the length of its normal; false: all on one side. */
static bool crosses_plane(const Corners *t, const Corners *other, const double normal[3], double heights[3])
{
    const double touching = 1e-6;
    for (int k = 0; k < 3; k++) {
        heights[k] = 0;
        for (int i = 0; i < 3; i++)
            heights[k] += normal[i] * (t->at[k][i] - other->at[0][i]);
        if (fabs(heights[k]) < touching)
            heights[k] = 0;
    }
    return !(heights[0] * heights[1] > 0 && heights[0] * heights[2] > 0);
}

/* The corner that is alone on its side of the plane; -1: the triangle lies in it. */
static int lone_corner(const double h[3])
{
    if (h[0] * h[1] > 0)
        return 2;
    if (h[0] * h[2] > 0)
        return 1;
    if (h[1] * h[2] > 0 || h[0] != 0)
        return 0;
    return h[1] != 0 ? 1 : h[2] != 0 ? 2 : -1;
}

/* Where the triangle cuts the line that both planes share, measured along one axis. */
static void cut(const Corners *t, const double h[3], int lone, int axis, double ends[2])
{
    double from = t->at[lone][axis];
    for (int i = 0; i < 2; i++) {
        int k = (lone + 1 + i) % 3;
        ends[i] = from + (t->at[k][axis] - from) * (h[lone] / (h[lone] - h[k]));
    }
    if (ends[0] > ends[1]) {
        double swap = ends[0];
        ends[0] = ends[1];
        ends[1] = swap;
    }
}

static int largest_axis(const double v[3])
{
    int axis = fabs(v[1]) > fabs(v[0]) ? 1 : 0;
    return fabs(v[2]) > fabs(v[axis]) ? 2 : axis;
}

/* On which side of the line from a to b, seen along the dropped axis. */
static double side(const double a[3], const double b[3], const double p[3], int drop)
{
    int x = drop == 0 ? 1 : 0, y = drop == 2 ? 1 : 2;
    return (b[x] - a[x]) * (p[y] - a[y]) - (b[y] - a[y]) * (p[x] - a[x]);
}

static bool edges_cross(const double a[3], const double b[3], const double c[3], const double d[3], int drop)
{
    double to_c = side(a, b, c, drop), to_d = side(a, b, d, drop);
    double to_a = side(c, d, a, drop), to_b = side(c, d, b, drop);
    return to_c != to_d && to_c * to_d <= 0 && to_a * to_b <= 0;
}

static bool is_inside(const Corners *t, const double p[3], int drop)
{
    double first = side(t->at[0], t->at[1], p, drop), second = side(t->at[1], t->at[2], p, drop),
           third = side(t->at[2], t->at[0], p, drop);
    return first * second > 0 && first * third > 0;
}

/* The axis along which the normal is largest; of axes alike y before z, z before x: so y for a triangle without area. */
static int axis_to_drop(const double normal[3])
{
    double x = fabs(normal[0]), y = fabs(normal[1]), z = fabs(normal[2]);
    if (x > y)
        return x > z ? 0 : 2;
    return z > y ? 2 : 1;
}

static bool meet_in_plane(const Corners *a, const Corners *b, const double normal[3])
{
    int drop = axis_to_drop(normal);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (edges_cross(a->at[i], a->at[(i + 1) % 3], b->at[k], b->at[(k + 1) % 3], drop))
                return true;
    return is_inside(b, a->at[0], drop) || is_inside(a, b->at[0], drop);
}

static bool triangles_meet(const Corners *a, const Corners *b)
{
    double normal_a[3], normal_b[3], heights_a[3], heights_b[3], line[3], ends_a[2], ends_b[2];
    normal_of(a, normal_a);
    normal_of(b, normal_b);
    if (!crosses_plane(b, a, normal_a, heights_b) || !crosses_plane(a, b, normal_b, heights_a))
        return false;
    int lone_a = lone_corner(heights_a), lone_b = lone_corner(heights_b);
    if (lone_a < 0 || lone_b < 0)
        return meet_in_plane(a, b, normal_a);
    for (int i = 0; i < 3; i++)
        line[i] = normal_a[(i + 1) % 3] * normal_b[(i + 2) % 3] - normal_a[(i + 2) % 3] * normal_b[(i + 1) % 3];
    int axis = largest_axis(line);
    cut(a, heights_a, lone_a, axis, ends_a);
    cut(b, heights_b, lone_b, axis, ends_b);
    return ends_a[1] >= ends_b[0] && ends_b[1] >= ends_a[0];
}

void geometry_triangles(Call *call) /* intersect_tri_tri */
{
    Corners corners[2];
    for (int i = 0; i < 6; i++) {
        refuse_if(call, !is_vec(&call->args[i], 3));
        for (int k = 0; k < 3; k++)
            corners[i / 3].at[i % 3][k] = call->args[i].cells[k].real;
    }
    new_int_datum(call->e, TYPE_INT32, triangles_meet(&corners[0], &corners[1]), call->out);
}
