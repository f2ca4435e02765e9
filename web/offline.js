// Keeps a copy of the page's files, so that it also opens without a network. What the server has comes first.
const NAME = "weft-playground";

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(
    (async () => {
      const cache = await caches.open(NAME);
      try {
        const answer = await fetch(event.request);
        if (answer.ok) cache.put(event.request, answer.clone());
        return answer;
      } catch {
        return (await cache.match(event.request, { ignoreSearch: true })) ?? Response.error();
      }
    })(),
  );
});

self.addEventListener("install", (event) => {
  const files = ["./", "codemirror.css", "code.css", "playground.css", "codemirror.js", "playground.js", "engine.js", "code.js", "share.js", "verdict.js", "worker.js", "examples.json", "weft.wasm"];
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
