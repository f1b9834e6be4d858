import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { withFlagFile } from "./flag-file";
import type { FlagTable } from "./flag-table";
import { parseFlags } from "./parse-flags";

const TABLE = {
  name: { type: "string", default: "a", help: "a name", section: "One" },
  count: { type: "int", default: "3", min: 0, max: 9, help: "a number", section: "One" },
  bold: { type: "bool", default: "false", help: "a switch", section: "Two" },
  list: { type: "strings", default: "x,y", help: "a list", section: "Two" },
  each: { type: "stringArray", default: "", help: "values", section: "Two" },
  wait: { type: "duration", default: "1m0s", help: "a time", section: "Two" },
  gates: { type: "mapStringBool", default: "", help: "switches", section: "Two" },
  config: { type: "string", default: "", help: "the file", section: "Two" },
  v: { type: "int", default: "0", help: "verbosity", section: "Two" },
} as const satisfies FlagTable;
const ALIASES = { "kube-name": "name" };
const folder = mkdtempSync(join(tmpdir(), "flag-file-"));
let files = 0;

function file(text: string): string {
  files += 1;
  const path = join(folder, `${files}.yaml`);
  writeFileSync(path, text);
  return path;
}

const complete = (text: string, ...words: string[]) =>
  withFlagFile([`--config=${file(text)}`, ...words], () => ({ table: TABLE, aliases: ALIASES }));

describe("a file of flags", () => {
  test.each<[string, string, string[], object]>([
    [
      "sets flags by their names",
      "name: b\ncount: 4\nbold: true\nwait: 2m\n",
      [],
      { name: "b", count: 4, bold: true, wait: 120_000 },
    ],
    ["takes lists as lists", 'list: [p, "q,r"]\neach:\n- a,b\n- c\n', [], { list: ["p", "q,r"], each: ["a,b", "c"] }],
    ["takes a list as its text, too", "list: p,q\n", [], { list: ["p", "q"] }],
    ["takes maps as maps", "gates: {A: true, B: false}\n", [], { gates: { A: true, B: false } }],
    ["knows an empty list from an absent one", "list: []\n", [], { list: [] }],
    ["lets the command line win", "name: b\ncount: 4\n", ["--count", "5"], { name: "b", count: 5 }],
    ["lets a list of the command line replace a list", "list: [p]\n", ["--list=q"], { list: ["q"] }],
    ["lets the other spelling of the command line win", "name: b\n", ["--kube-name=c"], { name: "c" }],
    ["takes the other spelling", "kube-name: b\n", [], { name: "b" }],
    ["lets -v of the command line win", "v: 1\n", ["-v", "2"], { v: 2 }],
    ["may be empty", "# nothing\n", [], { name: "a" }],
  ])("%s", (_behaviour, text, words, expected) => {
    const { words: all, errors } = complete(text, ...words);
    expect(errors).toEqual([]);
    const parsed = parseFlags(TABLE, all, ALIASES);
    expect(parsed.errors).toEqual([]);
    expect(parsed.config).toMatchObject(expected);
  });

  test.each([
    ["an unknown key, with its line", "name: b\n\nnmae: c\n", /\.yaml:3: unknown flag: nmae; did you mean name\?$/],
    ["a likely key", "coun: 3\n", /\.yaml:1: unknown flag: coun; did you mean count\?$/],
    ["a wrong value", "name: b\ncount: 12\n", /\.yaml:2: count: "12" must not be more than 9$/],
    ["a number that loses its digits", "name: 1.30\n", /\.yaml:1: name: 1\.3 is a number: write it in quotes/],
    ["a list for a single value", "name: [a]\n", /\.yaml:1: name: the flag takes no list$/],
    ["a map for a list", "list: {a: b}\n", /\.yaml:1: list: the flag takes no map$/],
    ["a key without a value", "name:\n", /\.yaml:1: name: it has no value$/],
    ["another file", "config: other.yaml\n", /\.yaml:1: config: a file cannot name another file$/],
    ["a key that occurs twice", "name: a\nname: b\n", /\.yaml: line 2, column 1: a key occurs twice$/],
    ["a list of words", "- --name=a\n", /\.yaml: expected flags by their names, such as secure-port: 6443$/],
    ["text that is no YAML", "name: [\n", /\.yaml: line \d+, column \d+: /],
  ])("is refused for %s", (_fault, text, error) => {
    const { errors } = complete(text);
    expect(errors).toEqual([expect.stringMatching(error)]);
  });

  test("reports every error at once", () => {
    expect(complete("nmae: b\ncount: x\nlist: {a: b}\n").errors).toHaveLength(3);
  });

  test("must exist, and be named once", () => {
    const known = () => ({ table: TABLE, aliases: ALIASES });
    expect(withFlagFile(["--config", "gone.yaml"], known).errors).toEqual([
      expect.stringMatching(/^--config: gone\.yaml: ENOENT/),
    ]);
    expect(withFlagFile(["--config=a", "--config=b"], known).errors).toEqual([
      "--config is set 2 times: name one file",
    ]);
  });
});
