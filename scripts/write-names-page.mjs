// Writes docs/names.md, the list of names that differ between the two vocabularies. Run it after `make build` when the
// tables of packages/schema/src/vocabulary have changed; a test there fails while the page is out of date.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { namesPage } = createRequire(import.meta.url)(join(root, "packages/schema/dist/vocabulary/names-page.js"));
writeFileSync(join(root, "docs/names.md"), namesPage());
