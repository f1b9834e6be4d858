// Adds the code that V8 compiles for a server and its controllers to the pack: that of the functions that run at the start and
// while typical requests are served.
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { packed } from "./loader.mjs";
import { lateFolder, writeCode } from "./pack-file.mjs";
import { runTypically } from "./typical-run.mjs";

// Keeps the bytecode of functions that have run once.
setFlagsFromString("--no-flush-bytecode");
await runTypically();
// V8 rejects cached code when its flags differ.
setFlagsFromString("--flush-bytecode");
const pack = packed.modules();
pack.paths.forEach((path, place) => {
  if (lateFolder(join(packed.ROOT, path)) !== undefined) pack.loadPlace(place);
});
packed.withFlagsOfStart(() => writeCode(pack, (number) => pack.opened.get(number)?.createCachedData()));
process.exit(0);
