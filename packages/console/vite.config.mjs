// The build of the console: hashed files in dist/ for the address /ui/. The content security policy of the server allows
// no inline script or style, so that nothing is inlined.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/ui/",
  // The compiled form of the package is for Node.js, which Vite does not bundle.
  resolve: { alias: { "@orch/access": fileURLToPath(new URL("../access/src/index.ts", import.meta.url)) } },
  esbuild: { legalComments: "none" },
  build: {
    target: ["chrome109", "firefox115", "safari16.4"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1024,
  },
});
