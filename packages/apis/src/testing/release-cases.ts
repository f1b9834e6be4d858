// Reads the tables of testdata/releases: rules and fields that depend on the release. Used only by tests. The README
// of that folder describes the format.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@orch/schema";
import { type Changes, changesOf, ruleBases } from "./rule-cases";

const FOLDER = join(__dirname, "..", "..", "testdata", "releases");

export interface ReleaseCase {
  /** File and line, such as `pods.tsv:12`. */
  readonly place: string;
  readonly release: string;
  readonly base: JsonObject;
  readonly operation: string;
  readonly stored: Changes;
  readonly changes: Changes;
  /** Expected errors, expected values by JSON pointer, or the beginnings of the expected warnings. */
  readonly expects:
    | { readonly errors: readonly string[] }
    | { readonly values: Changes }
    | { readonly warnings: readonly string[] };
}

export function releaseCases(): readonly ReleaseCase[] {
  const bases = ruleBases();
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".tsv"))
    .flatMap((file) => casesOf(file, bases));
}

function casesOf(file: string, bases: ReadonlyMap<string, JsonObject>): ReleaseCase[] {
  const lines = readFileSync(join(FOLDER, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#") || line.startsWith("object\t")) return [];
    const place = `${file}:${index + 1}`;
    const [object = "", releases = "", operation = "", stored, changes, expects = ""] = line.split("\t");
    const base = bases.get(object);
    if (base === undefined) throw new Error(`${place}: no base ${object}`);
    if (expects === "") throw new Error(`${place}: six columns, separated by tabs`);
    return releases.split(" ").map((release) => ({
      place,
      release,
      base,
      operation,
      stored: changesOf(stored, place),
      changes: changesOf(changes, place),
      expects: expectationOf(expects, place),
    }));
  });
}

function expectationOf(cell: string, place: string): ReleaseCase["expects"] {
  if (cell.startsWith("{")) return { values: changesOf(cell, place) };
  if (cell === "quiet") return { warnings: [] };
  if (cell.startsWith("warns ")) return { warnings: cell.slice("warns ".length).split(" | ") };
  return { errors: cell === "ok" ? [] : cell.split("; ") };
}
