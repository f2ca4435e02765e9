// node tests/web/run_engine.mjs WASM ENGINE < requests: each line {path, warp, asked} is answered by a line, through the page's own engine.
import fs from "node:fs";
import readline from "node:readline";

const [wasm, engineFile] = process.argv.slice(2);
const { Engine } = await import(`data:text/javascript;base64,${fs.readFileSync(engineFile).toString("base64")}`);
const engine = new Engine(new WebAssembly.Module(fs.readFileSync(wasm)));
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { path, warp, asked } = JSON.parse(line);
  const source = fs.readFileSync(path, "utf8");
  const start = performance.now();
  let answer;
  try {
    answer = engine.compile(warp, source, asked);
  } catch (error) {
    answer = { failed: String(error.message) };
  }
  console.log(JSON.stringify({ ms: performance.now() - start, answer }));
}
