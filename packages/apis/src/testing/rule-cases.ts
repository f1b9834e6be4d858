// Reads the tables of testdata/validation and builds the objects of their rows. Used only by tests. The README of that
// folder describes the format.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@orch/schema";

const FOLDER = join(__dirname, "..", "..", "testdata", "validation");

export interface RuleCase {
  /** File and line, such as `core.tsv:12`. */
  readonly place: string;
  readonly base: JsonObject;
  readonly object: string;
  readonly operation: string;
  readonly stored: Changes;
  readonly changes: Changes;
  /** `<field> <reason>` of every error; empty when the object is valid. */
  readonly expects: readonly string[];
  readonly detail: string;
}

export type Changes = JsonObject;

/** Minimal valid objects keyed by name. */
export function ruleBases(): ReadonlyMap<string, JsonObject> {
  const files = readdirSync(FOLDER).filter((file) => /^bases\..*json$/.test(file));
  return new Map(files.flatMap((file) => Object.entries(basesOf(file))));
}

export function ruleCases(): readonly RuleCase[] {
  const base = ruleBases();
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".tsv"))
    .flatMap((file) => casesOf(file, base));
}

const basesOf = (file: string): Record<string, JsonObject> => JSON.parse(readFileSync(join(FOLDER, file), "utf8"));

function casesOf(file: string, bases: ReadonlyMap<string, JsonObject>): RuleCase[] {
  const lines = readFileSync(join(FOLDER, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#") || line.startsWith("object\t")) return [];
    const place = `${file}:${index + 1}`;
    const [object = "", operation = "", stored, changes, expects = "", detail = ""] = line.split("\t");
    const base = bases.get(object);
    if (base === undefined) throw new Error(`${place}: no base ${object}`);
    if (expects === "") throw new Error(`${place}: six columns, separated by tabs`);
    return {
      place,
      base,
      object,
      operation,
      stored: changesOf(stored, place),
      changes: changesOf(changes, place),
      expects: expects === "ok" ? [] : expects.split("; "),
      detail,
    };
  });
}

export function changesOf(cell: string | undefined, place: string): Changes {
  if (cell === undefined || cell === "-") return {};
  try {
    return JSON.parse(cell);
  } catch (error) {
    throw new Error(`${place}: ${cell}: ${error}`);
  }
}

/** Returns a copy of the base with the changes applied. */
export function changed(base: JsonObject, changes: Changes): JsonObject {
  const object = structuredClone(base);
  for (const [pointer, value] of Object.entries(changes)) set(object, pointer, spelledOut(value));
  return object;
}

type Container = JsonObject | JsonValue[];

function set(object: JsonObject, pointer: string, value: JsonValue): void {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let at: Container = object;
  for (const [depth, step] of steps.slice(0, -1).entries()) {
    const inner: JsonValue | undefined = read(at, step);
    if (typeof inner === "object" && inner !== null) {
      at = inner;
      continue;
    }
    const made: Container = /^(\d+|-)$/.test(steps[depth + 1] ?? "") ? [] : {};
    write(at, step, made);
    at = made;
  }
  write(at, steps.at(-1) ?? "", value);
}

const read = (container: Container, step: string): JsonValue | undefined =>
  Array.isArray(container) ? container[Number(step)] : container[step];

function write(container: Container, step: string, value: JsonValue): void {
  if (!Array.isArray(container)) {
    if (value === null) delete container[step];
    else container[step] = value;
  } else if (step === "-") container.push(value);
  else if (value === null) container.splice(Number(step), 1);
  else container[Number(step)] = value;
}

function spelledOut(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(spelledOut);
  const { $repeat: text, $list: item, times } = value;
  if (typeof text === "string" && typeof times === "number") return text.repeat(times);
  if (item !== undefined && typeof times === "number") return new Array<JsonValue>(times).fill(item);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spelledOut(each)]));
}
