/* The thread pool: everything is done once, and where order is promised, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 500, RING = 7 };

typedef struct Tally {
    atomic_uint next, done[COUNT], members[64];
} Tally;

static void count(void *user, unsigned number)
{
    Tally *tally = user;
    tally->members[number]++;
    for (unsigned i; (i = tally->next++) < COUNT;)
        tally->done[i]++;
}

static void all_members_work_and_all_is_done_once(void **state)
{
    (void)state;
    for (unsigned jobs = 1; jobs <= 5; jobs++) {
        Tally tally = {0};
        pool_run_once(jobs, count, &tally);
        for (unsigned i = 0; i < COUNT; i++)
            assert_int_equal(tally.done[i], 1);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(tally.members[i], i < jobs);
    }
}

static void a_pool_works_again_and_again(void **state)
{
    (void)state;
    Tally tally = {0};
    Pool *pool = pool_open(4);
    assert_non_null(pool);
    assert_int_equal(pool_size(pool), 4);
    for (int i = 0; i < 200; i++)
        pool_run(pool, count, &tally);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(tally.members[i], 200);
    pool_close(pool);
    pool_close(NULL);
}

static void no_wish_means_all_cores(void **state)
{
    (void)state;
    assert_int_equal(pool_jobs(3), 3);
    assert_int_equal(pool_jobs(0), (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
}

/* ---- in order ---- */

typedef struct Taken {
    atomic_uint open, closed, furthest;
    uint64_t count, wanted;
    bool is_wrong;
} Taken;

static void *open_own(void *user)
{
    ((Taken *)user)->open++;
    return user;
}

static void close_own(void *own)
{
    ((Taken *)own)->closed++;
}

static void make_slowly(void *user, void *own, uint64_t number, void *slot)
{
    Taken *taken = user;
    if (own != user)
        taken->is_wrong = true;
    usleep((useconds_t)(number * 7919 % 300)); /* so that the order of making is another */
    for (unsigned seen = taken->furthest; number > seen;)
        if (atomic_compare_exchange_weak(&taken->furthest, &seen, (unsigned)number))
            break;
    *(uint64_t *)slot = number * 3;
}

static bool take_next(void *user, void *slot)
{
    Taken *taken = user;
    taken->is_wrong |= *(const uint64_t *)slot != taken->count * 3;
    taken->is_wrong |= taken->furthest >= taken->count + RING; /* nobody is further ahead than the ring is long */
    return ++taken->count < taken->wanted;
}

static void slots_are_taken_in_order(void **state)
{
    (void)state;
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        uint64_t slots[RING] = {0};
        Taken taken = {.wanted = 100};
        PoolLine line = {.user = &taken,
                         .open = open_own,
                         .close = close_own,
                         .make = make_slowly,
                         .take = take_next,
                         .slots = slots,
                         .slot_size = sizeof *slots,
                         .slot_count = RING};
        assert_true(pool_run_in_order(jobs, &line));
        assert_int_equal(taken.count, 100);
        assert_false(taken.is_wrong);
        assert_int_equal(taken.open, jobs);
        assert_int_equal(taken.closed, jobs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_work_and_all_is_done_once),
        cmocka_unit_test(a_pool_works_again_and_again),
        cmocka_unit_test(no_wish_means_all_cores),
        cmocka_unit_test(slots_are_taken_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
