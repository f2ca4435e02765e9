// One engine off the page's thread. The page sends {id, call, args} and gets {id, answer} or {id, error}; {module} comes first.
import { Engine } from "./engine.js";

let engine;

self.onmessage = ({ data }) => {
  try {
    if (data.module) {
      engine = new Engine(data.module);
      return;
    }
    const start = performance.now();
    const answer = engine[data.call](...data.args);
    self.postMessage({ id: data.id, answer, ms: performance.now() - start });
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error.message ?? error) });
  }
};
