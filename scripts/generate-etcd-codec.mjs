// Makes packages/store/src/generated/etcd.ts from proto/etcd/etcd.proto: protobufjs' static encoders and decoders, and a TypeScript
// type of every message.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "proto/etcd/etcd.proto");
const target = join(root, "packages/store/src/generated/etcd.ts");

const declared = protobuf.parse(readFileSync(source, "utf8"), { keepCase: false }).root.lookup("etcd");
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `// @ts-nocheck made by scripts/generate-etcd-codec.mjs\n${codec()}\n${types()}`);

function codec() {
  const pbjs = createRequire(import.meta.url).resolve("protobufjs-cli/bin/pbjs");
  const leaveOut = ["verify", "convert", "delimited", "typeurl", "service", "comments", "create"].map(
    (part) => `--no-${part}`,
  );
  const options = ["--target", "static-module", "--wrap", "es6", "--root", "orch-etcd", ...leaveOut, source];
  const text = execFileSync(process.execPath, [pbjs, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Numbers are read as numbers (see wire.ts), so their defaults are numbers too.
  const longDefault = /\$util\.Long \? \$util\.Long\.fromBits\(0,0,(?:true|false)\) : 0/g;
  if (!longDefault.test(text)) throw new Error("pbjs writes the default of an int64 in a new way");
  return text
    .replace(longDefault, "0")
    .replace("export const etcd", "const etcd")
    .replace(/export \{[\s\S]*?\};?\n/, "");
}

function types() {
  const face =
    "export interface Codec<T> { encode(message: T, writer: unknown): unknown; decode(reader: unknown, length?: number): T }";
  return [face, ...declared.nestedArray.map(typeOf), ""].join("\n");
}

/** An interface and the codec of the same name. An enum is its numbers; a message's own enums are written where they are used. */
function typeOf(message) {
  const fields = message.fieldsArray.map((field) => {
    const type = field.resolve().repeated ? `readonly ${scalarOf(field)}[]` : scalarOf(field);
    return `  readonly ${field.name}?: ${type} | undefined;`;
  });
  return [
    `export interface ${message.name} {`,
    ...fields,
    "}",
    `export const ${message.name}: Codec<${message.name}> = etcd.${message.name};`,
  ].join("\n");
}

function scalarOf({ type, resolvedType }) {
  if (resolvedType instanceof protobuf.Enum) return Object.values(resolvedType.values).join(" | ");
  if (resolvedType instanceof protobuf.Type) return resolvedType.name;
  const scalars = { bytes: "Buffer", string: "string", bool: "boolean" };
  return scalars[type] ?? "number";
}
