// The host side of standalone programs, in sections that start with "//: name". Words in capitals are filled in by host.c:
//     KERNEL    the kernel's name            COUNT    the size of the launch
//     ARRAY     the name of an array, WHAT in messages, STREAM its random numbers, BETWEEN one stream and the next
//     NUMBERS, STEP, TOLERANCE               what is expected
//     DERIVATIVES, SLACKS, DIRECTIONS        what the gradient is compared with
//     PASSES                                 "forward", or both
// What stands between //. and the next section is for compilers alone: the file is valid C++.

//: head
#ifdef __CUDACC__
#include <cuda_runtime.h>
#define LAUNCH(kernel, blocks, block_size, ...) kernel<<<blocks, block_size>>>(__VA_ARGS__)
#else
#include "weft_cpu_shim.h" // runs the threads one after the other
#endif

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

//.
enum { COUNT = 1, STREAM = 1, BETWEEN = 1, NUMBERS = 1, STEP = 1, DIRECTIONS = 1 };
static const double TOLERANCE = 1, DERIVATIVES = 0, SLACKS = 0;

//: memory_tools
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

//: input_tools
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

//: error_tools
static double largest_error; // of all comparisons, 1 being just tolerable

//: result_tools
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

template <class T> bool is_finite(const char *what, Array<T> &array)
{
    bool finite = true;
    each(array, [&](auto &part, size_t) { finite = finite && std::isfinite((double)part); });
    if (!finite)
        printf("%s: not finite\n", what);
    return finite;
}

//: set_tools
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

//: gradient_tools
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

//: rotation_tools
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
struct Transform {
    struct {
        float x, y, z, w;
    } q;
};
template <class F> void each_part(Transform &item, F visit)
{
    visit(item.q.x);
}
struct Data {
    int launch_size;
    Array<Transform> ARRAY, adj_ARRAY;
    explicit Data(int size) : launch_size(size), ARRAY(1), adj_ARRAY(1) {}
};
static const double expected_ARRAY[] = {0};
static const size_t unsure_ARRAY[] = {0};
static void fill_inputs(Data &data)
{
//: normalize_rotations
    for (size_t i = 0; i < data.ARRAY.count; ++i)
        normalize_rotation(&data.ARRAY.host[i].q.x);
//.
}
static void launch_KERNEL(Data &) {}
static void launch_KERNEL_backward(Data &) {}

//: check_forward
static bool check_forward(Data &data)
{
    bool right = true;
//: download
    data.ARRAY.download();
//: known
    bool known = data.launch_size == COUNT; // reference values are for this size
//: unknown
    (void)data;
//: compare_nothing
    right &= is_finite("WHAT", data.ARRAY); // it depends on the order of threads
//: compare_set
    right &= known ? compare_set("WHAT", data.ARRAY, expected_ARRAY, NUMBERS, TOLERANCE) : is_finite("WHAT", data.ARRAY);
//: compare
    right &= known ? compare("WHAT", data.ARRAY, expected_ARRAY, NUMBERS, STEP, TOLERANCE) : is_finite("WHAT", data.ARRAY);
//: end_check
    return right;
}

//: prepare_backward
// Seeds the gradients of the results with fixed weights, and starts from the inputs again.
static void prepare_backward(Data &data)
{
//: weights
    each(data.adj_ARRAY, [](auto &part, size_t i) {
        part = std::is_floating_point<typename std::remove_reference<decltype(part)>::type>::value
                   ? draw<float>(STREAM, i, -1, 1)
                   : 0;
    });
//: unsure_weights
    each(data.adj_ARRAY, [](auto &part, size_t i) {
        for (size_t other : unsure_ARRAY)
            part = i == other ? 0 : part;
    });
//: upload_weights
    data.adj_ARRAY.upload();
//.
}

//: check_backward
// For directions u, gradient . u must be the directional derivative of the weighted results.
static bool check_backward(Data &data)
{
    static const double derivative[] = {DERIVATIVES}, slack[] = {SLACKS};
    bool right = true;
//: download_gradient
    data.adj_ARRAY.download();
    right &= is_finite("adj_WHAT", data.adj_ARRAY);
//: directions
    for (int k = 0; k < DIRECTIONS && data.launch_size == COUNT; ++k) {
        double sum = 0, size = 0;
//: direction
        add_dot(data.adj_ARRAY, STREAM + BETWEEN * k, sum, size);
//: end_directions
        right &= accept("gradient", fabs(sum - derivative[k]), 1e-3 * size + slack[k] + 1e-6);
    }
    return right;
}

//: bench
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

//: main
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
    if (n < COUNT) {
        fprintf(stderr, "usage: %s [--n N] [--bench], N being at least COUNT\n", argv[0]);
        return 2;
    }
    Data data(n);
    fill_inputs(data);
    launch_KERNEL(data);
    bool right = check_forward(data);
//: main_backward
    prepare_backward(data);
    launch_KERNEL_backward(data);
    right &= check_backward(data);
//: main_timed
    if (timed) {
        bench("KERNEL", launch_KERNEL, data);
//: main_timed_backward
        bench("KERNEL_backward", launch_KERNEL_backward, data);
//: main_end
    }
    printf("%s (PASSES, n = %d: largest error %.3g of what is tolerated)\n", right ? "PASS" : "FAIL", n,
           largest_error);
    return right ? 0 : 1;
}
