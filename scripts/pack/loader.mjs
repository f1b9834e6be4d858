// The loader of the pack that is written: that of the repository, or of the release folder that $PACKED_LOADER names.
import { createRequire } from "node:module";

export const packed = createRequire(import.meta.url)(
  process.env.PACKED_LOADER ?? "../../packages/platform/bin/packed.js",
);
