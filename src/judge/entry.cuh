// How the judge calls a kernel that was compiled as C++: its threads run one after the other. inside_native.c has the same struct.

// What destructors of static objects are registered by; usually of the compiler's own start files, which are not linked.
extern "C" __attribute__((weak, visibility("hidden"))) void *__dso_handle = nullptr;

struct WeftEntry {
    void (*run)(unsigned threads, unsigned block, void **args);
    unsigned count;
    const unsigned *sizes;
};

template <class... P> struct WeftSizes {
    static constexpr unsigned sizes[] = {(unsigned)sizeof(P)..., 0u};
};

template <auto kernel, class... P, size_t... I>
static void weft_run_all(unsigned threads, unsigned block, void **args, std::index_sequence<I...>)
{
    blockDim = {block, 1, 1};
    gridDim = {threads ? (threads + block - 1) / block : 1, 1, 1};
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x)
            kernel(*(P *)args[I]...);
}

template <auto kernel, class... P> static void weft_run(unsigned threads, unsigned block, void **args)
{
    weft_run_all<kernel, P...>(threads, block, args, std::index_sequence_for<P...>());
}

template <auto kernel, class... P> static constexpr WeftEntry weft_entry(void (*)(P...))
{
    return {weft_run<kernel, P...>, (unsigned)sizeof...(P), WeftSizes<P...>::sizes};
}

#define WEFT_ENTRY(number, kernel)                                                                                     \
    extern "C" __attribute__((visibility("default"))) const WeftEntry weft_entry_##number = weft_entry<&kernel>(&kernel);
