// Turns the schema of record, proto/, into what packages/schema is compiled with: one descriptor, loaded lazily by group
// version, and the TypeScript types of every group version. Writes packages/schema/src/generated.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { descriptorOf } from "./schema/descriptor.mjs";
import { parseProto } from "./schema/proto-file.mjs";
import { typeModules } from "./schema/typescript.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const protoDir = join(root, "proto");
const target = join(root, "packages/schema/src/generated");

// A file that uses the options is part of the record; others in proto/ are protocols of other programs.
const files = readdirSync(protoDir, { recursive: true })
  .filter((name) => name.endsWith(".proto"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(protoDir, name), "utf8") }))
  .filter(({ text }) => text.includes('import "schema/options.proto";'))
  .map(({ name, text }) => descriptorOf(parseProto(name.slice(0, -".proto".length).split(sep).join("/"), text)));

const written = new Map([["descriptor.ts", descriptorModule(files)], ...typeModules(files)]);
rmSync(target, { recursive: true, force: true });
for (const [name, text] of written) {
  const path = join(target, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const bytes = written.get("descriptor.ts").length;
console.log(
  `${relative(root, target)}: ${files.length} files of proto/, descriptor of ${Math.round(bytes / 1024)} KiB`,
);

/** A module of JSON texts: the compiler copies it to dist like any other, and a text is parsed when first asked for. */
function descriptorModule(records) {
  const quoted = (text) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const entries = records.map(({ id, ...record }) => `  "${id}": ${quoted(JSON.stringify(record))},`);
  return `export const DESCRIPTOR: Readonly<Record<string, string>> = {\n${entries.join("\n")}\n};\n`;
}
