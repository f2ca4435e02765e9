// The state of the page as the fragment of its address: compressed where the browser can, so that links stay short.

const toText = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function through(bytes, transform) {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// state: {source, warp, tab}
export async function encodeState(state) {
  const packed = await through(new TextEncoder().encode(state.source), new CompressionStream("deflate-raw"));
  return new URLSearchParams({ warp: state.warp, tab: state.tab, code: toText(packed) }).toString();
}

const MOST_BYTES = 1 << 20;

// null: the fragment holds no kernel.
export async function decodeState(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const code = fields.get("code");
  if (!code) return null;
  try {
    const reader = new Blob([toBytes(code)]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    let size = 0;
    for (let part; !(part = await reader.read()).done; ) {
      size += part.value.length;
      if (size > MOST_BYTES) return null;
      parts.push(part.value);
    }
    const source = await new Blob(parts).text();
    return { source, warp: fields.get("warp") ?? "", tab: fields.get("tab") ?? "" };
  } catch {
    return null;
  }
}
