// Data of config maps and secrets: literals, files, folders and files of environment variables. Source:
// kubectl/pkg/cmd/create/create_configmap.go, kubectl/pkg/generate/versioned/secret.go.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { jsonText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import { collected } from "../../../process/global-options";
import { addSwitch } from "../options";
import { type Input, listOf } from "./generator";

const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_MAX = 253;

export function addDataOptions(command: Command): void {
  command
    .option("--from-file <[key=]file>", "a file, or the files of a folder", collected)
    .option("--from-literal <key=value>", "a value", collected)
    .option("--from-env-file <file>", "a file with lines KEY=VALUE", collected);
  addSwitch(command, "--append-hash", "append a hash of the data to the name");
}

/** Returns the bytes by key. @throws CliError that names the option and the rule */
export function dataOf(given: Input): ReadonlyMap<string, Buffer> {
  const data = new Map<string, Buffer>();
  const add = (key: string, bytes: Buffer) => {
    if (!KEY.test(key) || key.length > KEY_MAX || key === "." || key.startsWith("..")) {
      throw new CliError(`${JSON.stringify(key)} is not a valid key name: use letters, digits, '-', '_' and '.'`);
    }
    if (data.has(key))
      throw new CliError(`cannot add key ${JSON.stringify(key)}, another key by that name already exists`);
    data.set(key, bytes);
  };
  const environment = listOf(given, "fromEnvFile");
  if (environment.length > 0 && listOf(given, "fromFile").length + listOf(given, "fromLiteral").length > 0) {
    throw new CliError("from-env-file cannot be combined with from-file or from-literal");
  }
  for (const source of listOf(given, "fromFile")) addFile(source, add);
  for (const literal of listOf(given, "fromLiteral")) {
    const at = literal.indexOf("=");
    if (at < 1) throw new CliError(`invalid literal source ${literal}, expected key=value`);
    add(literal.slice(0, at), Buffer.from(unquoted(literal.slice(at + 1))));
  }
  for (const file of environment) addVariables(file, process.env, add);
  return data;
}

const unquoted = (text: string): string => (/^(?:'.*'|".*")$/s.test(text) ? text.slice(1, -1) : text);

type Add = (key: string, bytes: Buffer) => void;

function addFile(source: string, add: Add): void {
  const parts = source.split("=");
  if (parts.length > 2) throw new CliError("key names or file paths cannot contain '='");
  const path = parts.at(-1) ?? "";
  if (path === "" || (parts.length === 2 && parts[0] === "")) {
    throw new CliError(`--from-file: ${JSON.stringify(source)} is not of the form [KEY=]FILE`);
  }
  if (isFolder(path)) {
    if (parts.length === 2) throw new CliError("cannot give a key name for a directory path");
    for (const name of readdirSync(path).sort()) {
      const file = join(path, name);
      if (statSync(file).isFile() && KEY.test(name)) add(name, readFileSync(file));
    }
  } else add(parts.length === 2 ? (parts[0] ?? "") : basename(path), readBytes(path));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw readFailure(path, error);
  }
}

function readFailure(path: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CliError(`error reading ${path}: ${code === "ENOENT" ? "no such file or directory" : message}`);
}

export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw readFailure(path, error);
  }
}

function addVariables(file: string, environment: NodeJS.ProcessEnv, add: Add): void {
  for (const line of readBytes(file)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)) {
    const text = line.trimStart();
    if (text === "" || text.startsWith("#")) continue;
    const at = text.indexOf("=");
    const key = at === -1 ? text : text.slice(0, at);
    if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(key)) {
      throw new CliError(`${file}: ${JSON.stringify(key)} is not a valid name of an environment variable`);
    }
    // A line with a name alone takes the value of the environment.
    const value = at === -1 ? environment[key] : text.slice(at + 1);
    if (value !== undefined) add(key, Buffer.from(value));
  }
}

/** Returns the name with the hash of the object. Source: kubectl/pkg/util/hash/hash.go. */
export function hashedName(name: string, hashed: JsonObject): string {
  const letters: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };
  const hex = createHash("sha256")
    .update(jsonText({ ...hashed, name }))
    .digest("hex")
    .slice(0, 10);
  return `${name}-${[...hex].map((letter) => letters[letter] ?? letter).join("")}`;
}
