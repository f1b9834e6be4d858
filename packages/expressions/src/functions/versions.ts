// Functions on semantic versions. Source: staging/src/k8s.io/apiserver/pkg/cel/library/semverlib.go; semver.org 2.0.0.
import { CONSTANT, reads } from "../cost/cost-model";
import { fail } from "../values/evaluation-error";
import { VersionValue } from "../values/version-value";
import { fn, method, type Overload, parsing } from "./overload";

const READS = reads(0);
const V = "Semver";
const STEPS = 15;

const version = (text: string, normalized: boolean): VersionValue =>
  VersionValue.parse(normalized ? normal(text) : text) ?? fail("not a version of semver.org");

/** Removes a leading "v" and leading zeros, and adds missing numbers. */
function normal(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([^-+]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parts.join(".") + rest;
}

const parses = (text: string, normalized: boolean): boolean =>
  VersionValue.parse(normalized ? normal(text) : text) !== undefined;

export const VERSIONS: readonly Overload[] = [
  fn(
    `semver(string): ${V}`,
    READS,
    parsing(STEPS, (text: string) => version(text, false)),
  ),
  fn(
    `semver(string, bool): ${V}`,
    READS,
    parsing(STEPS, (text: string, normalized: boolean) => version(text, normalized)),
  ),
  fn(
    "isSemver(string): bool",
    READS,
    parsing(STEPS, (text: string) => parses(text, false)),
  ),
  fn(
    "isSemver(string, bool): bool",
    READS,
    parsing(STEPS, (text: string, normalized: boolean) => parses(text, normalized)),
  ),
  method(`${V}.major(): int`, CONSTANT, ({ numbers: [major] }: VersionValue) => major),
  method(`${V}.minor(): int`, CONSTANT, ({ numbers: [, minor] }: VersionValue) => minor),
  method(`${V}.patch(): int`, CONSTANT, ({ numbers: [, , patch] }: VersionValue) => patch),
  method(`${V}.isGreaterThan(${V}): bool`, CONSTANT, (a: VersionValue, b: VersionValue) => a.compare(b) > 0),
  method(`${V}.isLessThan(${V}): bool`, CONSTANT, (a: VersionValue, b: VersionValue) => a.compare(b) < 0),
  method(`${V}.compareTo(${V}): int`, CONSTANT, (a: VersionValue, b: VersionValue) => BigInt(a.compare(b))),
];
