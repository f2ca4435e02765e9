//! A standalone program. All of them are made from this file: host.c leaves out what a program does not need, and fills in words
// in capitals. Marks are lines of their own, each with a //. where it ends:
//
//     //! …      left out: for readers, and for compilers, which take this file for C++
//     //? NAME   only where that holds of the array, or outside of //* of any array; //? !NAME only where it does not;
//                of a word: where there is anything to fill in
//     //* NAME   once for each array of which it holds
//
// The names stand in array_is(), the words in print_host() and write_for_array(), all of them in host.c.
#define DEVICE_TEXT
#define PARTS visit(item.q.x);
#define ARRAYS ARRAY, adj_ARRAY
#define SIZES , ARRAY(1), adj_ARRAY(1)
#define SCALARS void *STRUCT_PART, *adj_STRUCT_PART;
#define ROTATION .q
#define DATA data
#define LAUNCHED data.launch_size
#define BACKWARD_ARGUMENTS 0
#define ARGUMENTS 0
#define GRADIENT nullptr
#define BLOCK_SIZE 128
#define EXPECTED 0
#define UNSURE 0
//.
// TITLE: a CUDA program made from the Warp kernel in KERNEL.py.
//? !backward
// There is no backward kernel: REASON.
//.
//
//     nvcc -std=c++17 -arch=sm_90 -fmad=false KERNEL.cu -o KERNEL && ./KERNEL
//

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define LAUNCH(kernel, blocks, block_size, ...) kernel<<<blocks, block_size>>>(__VA_ARGS__)
#else
//? tiles
#define WEFT_BLOCKS // threads wait for each other
//.
#include "weft_cpu_shim.h" // runs the threads one after the other
#endif

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "weft_math.cuh" // vectors, matrices, quaternions, and what gradients of them need

DEVICE_TEXT
//!
enum { COUNT = 1, STREAM = 1, WEIGHTS = 1, BETWEEN = 1, FIRST = 1, NUMBERS = 1, STEP = 1, DIRECTIONS = 1, LOW = 0, HIGH = 1 };
static const double TOLERANCE = 1, DERIVATIVES = 0, SLACKS = 0;
struct ELEMENT {
    struct {
        float x, y, z, w;
    } q;
};
static void KERNEL(int) {}
static void KERNEL_backward(int) {}
//.
//* new_type
template <class F> void each_part(ELEMENT &item, F visit)
{
PARTS
}

//.
// ---- host ----

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t error = (call);                                                       \
        if (error != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

template <class T> struct Array {
    size_t count;
    T *host, *device;
    explicit Array(size_t size) : count(size), host(new T[size]()), device(nullptr)
    {
        CHECK(cudaMalloc(&device, count * sizeof(T)));
    }
    ~Array()
    {
        cudaFree(device);
        delete[] host;
    }
    Array(const Array &) = delete;
    void upload() { CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice)); }
    void download() { CHECK(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost)); }
};

//? array
// The i-th random number of a stream, in [0, 1).
static double unit(uint64_t stream, uint64_t i)
{
    uint64_t z = stream * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

template <class T> T draw(uint64_t stream, uint64_t i, double low, double high)
{
    if (!std::is_integral<T>::value)
        return (T)(low + (high - low) * unit(stream, i));
    double span = floor(high) - ceil(low) + 1;
    return (T)(int64_t)(ceil(low) + floor(unit(stream, i) * (span > 1 ? span : 1)));
}

// Calls visit(number, its position) for every number in an array.
template <class T, class F> void each(Array<T> &array, F visit)
{
    size_t position = 0;
    for (size_t i = 0; i < array.count; ++i)
        each_part(array.host[i], [&](auto &part) { visit(part, position++); });
}

template <class T> void fill(Array<T> &array, uint64_t stream, double low, double high)
{
    each(array, [&](auto &part, size_t i) {
        part = draw<typename std::remove_reference<decltype(part)>::type>(stream, i, low, high);
    });
}

//.
static double largest_error; // of all comparisons, 1 being just tolerable

//? checked
static bool accept(const char *what, double error, double tolerance)
{
    double relative = error / tolerance;
    if (!(relative <= largest_error))
        largest_error = relative;
    if (relative <= 1.0)
        return true;
    printf("%s: off by %g, tolerated are %g\n", what, error, tolerance);
    return false;
}

//.
//? by_place
template <class T>
bool compare(const char *what, Array<T> &array, const double *expected, size_t count, size_t step, double tolerance)
{
    double worst = 0;
    each(array, [&](auto &part, size_t i) {
        if (i % step || i / step >= count)
            return;
        double wanted = expected[i / step];
        double error = (double)part == wanted || std::isnan(wanted) ? 0 : fabs((double)part - wanted);
        worst = error <= worst ? worst : error; // NaN counts
    });
    return accept(what, worst, tolerance);
}

//.
//? results
template <class T> bool is_finite(const char *what, Array<T> &array)
{
    bool finite = true;
    each(array, [&](auto &part, size_t) { finite = finite && std::isfinite((double)part); });
    if (!finite)
        printf("%s: not finite\n", what);
    return finite;
}

//.
//? set
// For results whose places depend on the order of threads: the same numbers, wherever they are.
template <class T> bool compare_set(const char *what, Array<T> &array, const double *sorted, size_t count, double tolerance)
{
    double *found = new double[count](), worst = 0;
    each(array, [&](auto &part, size_t i) {
        if (i < count)
            found[i] = (double)part;
    });
    qsort(found, count, sizeof *found, [](const void *a, const void *b) {
        double p = *(const double *)a, q = *(const double *)b;
        return (p > q) - (p < q);
    });
    for (size_t i = 0; i < count; ++i) {
        double error = fabs(found[i] - sorted[i]);
        worst = error <= worst ? worst : error; // NaN counts
    }
    delete[] found;
    return accept(what, worst, tolerance);
}

//.
//? backward
// Adds gradient * direction over all floats of an array.
template <class T> void add_dot(Array<T> &gradient, uint64_t stream, double &sum, double &size)
{
    each(gradient, [&](auto &part, size_t i) {
        if (!std::is_floating_point<typename std::remove_reference<decltype(part)>::type>::value)
            return;
        double term = (double)part * (unit(stream, i) * 2 - 1);
        sum += term;
        size += fabs(term);
    });
}

//.
//? rotation
// Rotations are unit quaternions.
template <class S> void normalize_rotation(S *q)
{
    double size = 0;
    for (int i = 0; i < 4; ++i)
        size += (double)q[i] * q[i];
    for (int i = 0; i < 4 && size > 0; ++i)
        q[i] = (S)(q[i] / sqrt(size));
}

//.
struct Data {
    int launch_size;
//* array
    Array<ELEMENT> ARRAYS;
//.
//? SCALARS
SCALARS
//.
    explicit Data(int size)
        : launch_size(size)SIZES
    {
//* in_struct
        STRUCT_PART = ARRAY.device;
//? gradient_struct
        adj_STRUCT_PART = GRADIENT;
//.
//.
    }
};

// Inputs from a fixed seed, inside the ranges that the kernel is made for.
static void fill_inputs(Data &DATA)
{
//* array
    fill(data.ARRAY, STREAM, LOW, HIGH);
//? normalized
    for (size_t i = 0; i < data.ARRAY.count; ++i)
        normalize_rotation(&data.ARRAY.host[i]ROTATION.x);
//.
    data.ARRAY.upload();
//.
}

static void launch_KERNEL(Data &data)
{
    int threads = LAUNCHED, block = BLOCK_SIZE;
    LAUNCH(KERNEL, (threads + block - 1) / block, block, ARGUMENTS);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

//? backward
static void launch_KERNEL_backward(Data &data)
{
    int threads = LAUNCHED, block = BLOCK_SIZE;
    LAUNCH(KERNEL_backward, (threads + block - 1) / block, block, BACKWARD_ARGUMENTS);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

//.
//* compared
//? set
// sorted: where they stand depends on the order of threads
//.
//? !set
//? UNSURE
// NAN: not compared, since the last digit of a number decides about it
//.
//.
static const double expected_ARRAY[] = {EXPECTED};
//.

static bool check_forward(Data &data)
{
    bool right = true;
//* output
    data.ARRAY.download();
//.
//? compared
    bool known = data.launch_size == COUNT; // reference values are for this size
//.
//? !compared
    (void)data;
//.
//* output
//? !compared
    right &= is_finite("WHAT", data.ARRAY); // it depends on the order of threads
//.
//? set
    right &= known ? compare_set("WHAT", data.ARRAY, expected_ARRAY, NUMBERS, TOLERANCE) : is_finite("WHAT", data.ARRAY);
//.
//? by_place
    right &= known ? compare("WHAT", data.ARRAY, expected_ARRAY, NUMBERS, STEP, TOLERANCE) : is_finite("WHAT", data.ARRAY);
//.
//.
    return right;
}

//? backward
//* gradient
//? UNSURE
// without weight: the last digit of a number decides about their derivative
static const size_t unsure_ARRAY[] = {UNSURE};

//.
//.
// Seeds the gradients of the results with fixed weights, and starts from the inputs again.
static void prepare_backward(Data &data)
{
//* gradient
//? output
    each(data.adj_ARRAY, [](auto &part, size_t i) {
        part = std::is_floating_point<typename std::remove_reference<decltype(part)>::type>::value
                   ? draw<float>(WEIGHTS, i, -1, 1)
                   : 0;
    });
//.
//? UNSURE
    each(data.adj_ARRAY, [](auto &part, size_t i) {
        for (size_t other : unsure_ARRAY)
            part = i == other ? 0 : part;
    });
//.
    data.adj_ARRAY.upload();
//.
//* starts_again
    fill(data.ARRAY, STREAM, LOW, HIGH);
//? normalized
    for (size_t i = 0; i < data.ARRAY.count; ++i)
        normalize_rotation(&data.ARRAY.host[i]ROTATION.x);
//.
    data.ARRAY.upload();
//.
}

// For directions u, gradient . u must be the directional derivative of the weighted results.
static bool check_backward(Data &data)
{
    static const double derivative[] = {DERIVATIVES}, slack[] = {SLACKS};
    bool right = true;
//* gradient
    data.adj_ARRAY.download();
    right &= is_finite("adj_WHAT", data.adj_ARRAY);
//.
    for (int k = 0; k < DIRECTIONS && data.launch_size == COUNT; ++k) {
        double sum = 0, size = 0;
//* gradient
        add_dot(data.adj_ARRAY, FIRST + BETWEEN * k, sum, size);
//.
        right &= accept("gradient", fabs(sum - derivative[k]), 1e-3 * size + slack[k] + 1e-6);
    }
    return right;
}

//.
static void bench(const char *name, void (*launch)(Data &), Data &data)
{
    const int turns = 20;
    float milliseconds = 0;
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    launch(data);
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < turns; ++i)
        launch(data);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    printf("%s: %.4f ms\n", name, milliseconds / turns);
}

int main(int argc, char **argv)
{
    int n = COUNT;
    bool timed = false;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--bench") == 0)
            timed = true;
        else if (strcmp(argv[i], "--n") == 0 && i + 1 < argc)
            n = atoi(argv[++i]);
        else
            n = 0;
    }
//? !tiles
    if (n < COUNT) {
        fprintf(stderr, "usage: %s [--n N] [--bench], N being at least COUNT\n", argv[0]);
        return 2;
    }
//.
//? tiles
    if (n != COUNT) {
        fprintf(stderr, "usage: %s [--bench]\n", argv[0]);
        return 2;
    }
//.
    Data data(n);
    fill_inputs(data);
    launch_KERNEL(data);
    bool right = check_forward(data);
//? backward
    prepare_backward(data);
    launch_KERNEL_backward(data);
    right &= check_backward(data);
//.
    if (timed) {
        bench("KERNEL", launch_KERNEL, data);
//? backward
        bench("KERNEL_backward", launch_KERNEL_backward, data);
//.
    }
    printf("%s (PASSES, n = %d: largest error %.3g of what is tolerated)\n", right ? "PASS" : "FAIL", n,
           largest_error);
    return right ? 0 : 1;
}
