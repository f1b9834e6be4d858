// Returns the texts of the pack that programs make once: the bootstrap objects of the default releases and of the newest.
import { join } from "node:path";
import { packed } from "./loader.mjs";

export async function preparedTexts() {
  const { RELEASE_RANGE } = packed(join(packed.PACKAGES, "apis/dist/index.js"));
  const { startServer } = packed(join(packed.PACKAGES, "apiserver/dist/index.js"));
  for (const vocabulary of ["orch", "kubernetes"])
    for (const flags of [{}, { "emulated-release": RELEASE_RANGE.last }]) await startServer({ vocabulary, flags });
  const { preparedSeeds } = packed(join(packed.PACKAGES, "registry/dist/index.js"));
  return preparedSeeds();
}
