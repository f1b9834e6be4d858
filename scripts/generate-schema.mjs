// Generates packages/schema/src/generated from the .proto files of proto/: a descriptor that is loaded lazily by group
// version, the declared rules and the descriptions of kinds and fields, and the TypeScript types of every group version.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { declaredRules } from "./schema/declared-rules.mjs";
import { descriptionsOf } from "./schema/descriptions.mjs";
import { descriptorOf } from "./schema/descriptor.mjs";
import { openapiMessages } from "./schema/openapi-messages.mjs";
import { parseProto } from "./schema/proto-file.mjs";
import { typeModules } from "./schema/typescript.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const protoDir = join(root, "proto");
const target = join(root, "packages/schema/src/generated");

// Files that import the schema options are part of the schema. Other files of proto/ are protocols of other programs.
const parsed = readdirSync(protoDir, { recursive: true })
  .filter((name) => name.endsWith(".proto"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(protoDir, name), "utf8") }))
  .filter(({ text }) => text.includes('import "schema/options.proto";'))
  .map(({ name, text }) => parseProto(name.slice(0, -".proto".length).split(sep).join("/"), text));
const files = parsed.map(descriptorOf);
const descriptors = files.map(({ id, ...record }) => [id, record]);
const descriptions = parsed.flatMap((file) => {
  const texts = descriptionsOf(file);
  return texts === undefined ? [] : [[file.id, texts]];
});

const written = new Map([
  ["descriptor.ts", jsonModule("DESCRIPTOR", descriptors)],
  ["declared-rules.ts", jsonModule("DECLARED_RULES", declaredRules(parsed))],
  ["description-texts.ts", jsonModule("DESCRIPTION_TEXTS", descriptions)],
  ["openapi-messages.ts", jsonModule("OPENAPI_MESSAGES", ["v2", "v3"].map(messagesOf))],
  ...typeModules(files),
]);
if (!isCurrent()) {
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
}

/** Reports whether the target folder holds exactly the generated files. */
function isCurrent() {
  if (!existsSync(target)) return false;
  const there = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = there.map(({ parentPath, name }) => relative(target, join(parentPath, name)).split(sep).join("/"));
  return (
    names.every((name) => written.has(name)) &&
    [...written].every(([name, text]) => names.includes(name) && readFileSync(join(target, name), "utf8") === text)
  );
}

/** Returns a module of JSON texts. The compiler copies it to dist like other modules; a text is parsed on first use. */
function jsonModule(name, records) {
  const quoted = (text) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const entries = records.map(([id, record]) => `  "${id}": ${quoted(JSON.stringify(record))},`);
  return `export const ${name}: Readonly<Record<string, string>> = {\n${entries.join("\n")}\n};\n`;
}

function messagesOf(version) {
  return [
    version,
    openapiMessages(readFileSync(join(protoDir, `openapi/${version}.proto`), "utf8"), `openapi.${version}`),
  ];
}
