// weft in WebAssembly: texts in, answers out. Used by worker.js in the page and by the tests in node.

// What compile() can be asked for, as in playground.c.
export const ASK = { cuda: 1, cpp: 2, tree: 4, readable: 8, verdict: 16 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// All that the module wants from outside. It prints nothing; a clock is asked for, but decides nothing.
function imports(memory) {
  let high = 0; // the second half of a result of two words
  return {
    env: {
      emscripten_notify_memory_growth() {},
      setTempRet0(value) {
        high = value;
      },
      getTempRet0: () => high,
    },
    wasi_snapshot_preview1: {
      proc_exit(code) {
        throw new Error(`weft ended with ${code}`);
      },
      clock_time_get(clock, precision, at) {
        new DataView(memory().buffer).setBigUint64(at, 0n, true);
        return 0;
      },
      fd_write: () => 8, // EBADF
      fd_read: () => 8,
      fd_seek: () => 8,
      fd_close: () => 8,
      fd_fdstat_get: () => 8,
      environ_sizes_get(count, size) {
        const view = new DataView(memory().buffer);
        view.setUint32(count, 0, true);
        view.setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
    },
  };
}

export class Engine {
  constructor(module) {
    this.module = module;
    this.restart();
  }

  // A new instance: also after a trap (a stack that was too small), which leaves memory in no known state.
  restart() {
    this.instance = new WebAssembly.Instance(this.module, imports(() => this.instance.exports.memory));
    this.instance.exports._initialize();
  }

  put(...texts) {
    const parts = texts.map((text) => encoder.encode(text));
    const size = parts.reduce((sum, part) => sum + part.length + 1, 0);
    const at = this.instance.exports.web_room(size);
    if (!at) throw new Error("out of memory");
    const room = new Uint8Array(this.instance.exports.memory.buffer, at, size);
    let offset = 0;
    for (const part of parts) {
      room.set(part, offset);
      room[offset + part.length] = 0;
      offset += part.length + 1;
    }
    return parts[parts.length - 1].length;
  }

  answer() {
    const { memory, web_answer, web_answer_length } = this.instance.exports;
    return JSON.parse(decoder.decode(new Uint8Array(memory.buffer, web_answer(), web_answer_length())));
  }

  // Runs a call; whatever it does, the next one finds an engine that works.
  guarded(call) {
    try {
      return call();
    } catch (error) {
      this.restart();
      if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError)
        throw new Error("this is nested too deeply, or takes too much memory, for weft in a browser; the command may manage it");
      throw error;
    }
  }

  about() {
    this.instance.exports.web_about();
    return this.answer();
  }

  // {kernels: […], errors: […]}
  compile(warp, source, asked) {
    return this.guarded(() => {
      const length = this.put(warp, source);
      if (!this.instance.exports.web_compile(length, asked)) throw new Error("out of memory");
      return this.answer();
    });
  }

  // {kernel_name, category, description, source}
  invent(warp, category, seed) {
    return this.guarded(() => {
      this.put(warp, category);
      if (!this.instance.exports.web_invent(seed)) throw new Error("no such category");
      return this.answer();
    });
  }
}
