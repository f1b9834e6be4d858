// Generates packages/store/src/generated from the protocols of the store: static encoders and decoders of protobufjs,
// and a TypeScript type of every message.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "packages/store/src/generated");
/** Pairs of a source file in proto/ and the generated file. */
const PROTOCOLS = [
  ["etcd/etcd.proto", "etcd.ts"],
  ["kms/v1beta1.proto", "kms-v1beta1.ts"],
  ["kms/v2.proto", "kms-v2.ts"],
];

mkdirSync(target, { recursive: true });
for (const [source, made] of PROTOCOLS) writeFileSync(join(target, made), moduleOf(join(root, "proto", source)));

function moduleOf(source) {
  const parsed = protobuf.parse(readFileSync(source, "utf8"), { keepCase: false });
  const name = parsed.package;
  return `// @ts-nocheck made by scripts/generate-store-codecs.mjs\n${codec(source, name)}\n${types(parsed.root.lookup(name), name)}`;
}

function codec(source, name) {
  const pbjs = createRequire(import.meta.url).resolve("protobufjs-cli/bin/pbjs");
  const leaveOut = ["verify", "convert", "delimited", "typeurl", "service", "comments", "create"].map(
    (part) => `--no-${part}`,
  );
  const options = ["--target", "static-module", "--wrap", "es6", "--root", `orch-${name}`, ...leaveOut, source];
  const text = execFileSync(process.execPath, [pbjs, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  // 64-bit integers are read as numbers (see wire.ts), so their defaults are numbers too.
  const longDefault = /\$util\.Long \? \$util\.Long\.fromBits\(0,0,(?:true|false)\) : 0/g;
  const plain = text.replace(longDefault, "0");
  if (plain.includes("$util.Long")) throw new Error("pbjs writes the default of an int64 in a new way");
  return plain.replace(`export const ${name}`, `const ${name}`).replace(/export \{[\s\S]*?\};?\n/, "");
}

function types(declared, name) {
  const face =
    "export interface Codec<T> { encode(message: T, writer: unknown): unknown; decode(reader: unknown, length?: number): T }";
  return [face, ...declared.nestedArray.map((message) => typeOf(message, name)), ""].join("\n");
}

/** Returns an interface and the codec of the same name. An enum is a union of its numbers, written where it is used. */
function typeOf(message, name) {
  const fields = message.fieldsArray.map((field) => {
    const scalar = scalarOf(field.resolve());
    const type = field.repeated ? `readonly ${scalar}[]` : field.map ? `Readonly<Record<string, ${scalar}>>` : scalar;
    return `  readonly ${field.name}?: ${type} | undefined;`;
  });
  return [
    `export interface ${message.name} {`,
    ...fields,
    "}",
    `export const ${message.name}: Codec<${message.name}> = ${name}.${message.name};`,
  ].join("\n");
}

function scalarOf({ type, resolvedType }) {
  if (resolvedType instanceof protobuf.Enum) return Object.values(resolvedType.values).join(" | ");
  if (resolvedType instanceof protobuf.Type) return resolvedType.name;
  const scalars = { bytes: "Buffer", string: "string", bool: "boolean" };
  return scalars[type] ?? "number";
}
