// packages/apis/testdata/features: every gate that is on by default in 1.36 is shown by requests, covered by a test, or read
// by another component alone.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { gateState } from "./gate-history";
import { knownGates } from "./known-gates";

const ROOT = join(__dirname, "../../../..");
const FEATURES = join(ROOT, "packages/apis/testdata/features");
const COMPONENTS = ["clients", "controllers", "kube-proxy", "kube-scheduler", "kubelet", "logs"];

const steps = new Map(Object.entries(JSON.parse(readFileSync(join(FEATURES, "steps.json"), "utf8")) as object));
const rows = readFileSync(join(FEATURES, "gates.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line): readonly string[] => line.split("\t"));

const isOn = (name: string, release: string): boolean => {
  const history = knownGates().get(name);
  return history !== undefined && gateState(history, release)?.on === true;
};

test("every gate that is on by default has one proof", () => {
  const gates = [...knownGates().keys()].filter((name) => isOn(name, "1.36"));
  expect(gates.length).toBeGreaterThan(150);
  const listed = rows.map(([name = ""]) => name);
  expect(gates.filter((name) => !steps.has(name) && !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => steps.has(name) || !gates.includes(name))).toEqual([]);
});

test("every proof exists", () => {
  const exists = ([, proof, place = ""]: readonly string[]): boolean => {
    if (proof === "steps") return steps.has(place);
    return proof === "test" ? existsSync(join(ROOT, place)) : proof === "elsewhere" && COMPONENTS.includes(place);
  };
  expect(rows.filter((row) => !exists(row))).toEqual([]);
});

test("the gate of steps is on by default since their release", () => {
  const gates = [...steps].filter(([name]) => knownGates().has(name)) as [string, { readonly since: string }][];
  expect(gates.length).toBeGreaterThan(80);
  expect(gates.filter(([name, { since }]) => !isOn(name, since)).map(([name]) => name)).toEqual([]);
});
