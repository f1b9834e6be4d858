// Evaluates a pod against a level in the version of a release. Source: Kubernetes documentation, "Pod Security
// Standards".
import { compareReleases } from "@orch/schema";
import type { EventLoopYielder, MaybePromise } from "../../contract/dependencies";
import type { CheckedPod } from "./controls/checked-pod";
import type { Check, Passes, Violation } from "./controls/control";
import { EVERY_CONTROL } from "./controls/every-control";
import { type Level, type LevelVersion, rulesRelease } from "./level-version";

/** Number of containers and volumes above which the evaluation yields the event loop between controls. */
const PARTS_AT_ONCE = 1000;
/** Maximum number of cached combinations of release and level; labels can name any. */
const KEPT_MAX = 100;

export class PodEvaluation {
  private readonly checks = new Map<string, readonly Check[]>();

  /** @param newest newest release whose rules are known */
  constructor(
    private readonly newest: string,
    private readonly yielder: EventLoopYielder,
  ) {}

  /** Returns the violations; empty when the pod complies. Synchronous unless the pod is very large. */
  violations({ level, version }: LevelVersion, pod: CheckedPod): MaybePromise<readonly Violation[]> {
    const checks = this.checksOf(level, rulesRelease(version, this.newest));
    if (pod.containers.length + (pod.spec.volumes?.length ?? 0) > PARTS_AT_ONCE)
      return slowly(checks, pod, this.yielder);
    return checks.map((check) => check(pod)).filter((violation) => violation !== undefined);
  }

  private checksOf(level: Level, release: string): readonly Check[] {
    const key = `${level} ${release}`;
    let checks = this.checks.get(key);
    if (checks === undefined) {
      checks = checksFor(level, release);
      if (this.checks.size < KEPT_MAX) this.checks.set(key, checks);
    }
    return checks;
  }
}

async function slowly(
  checks: readonly Check[],
  pod: CheckedPod,
  yielder: EventLoopYielder,
): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const check of checks) {
    if (yielder.isOver) await yielder.next();
    const violation = check(pod);
    if (violation !== undefined) violations.push(violation);
  }
  return violations;
}

/** Formats `reason (detail), reason`. */
export const violationsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === undefined ? reason : `${reason} (${detail})`)).join(", ");

export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

function checksFor(level: Level, release: string): readonly Check[] {
  const isThere = (since: string): boolean => compareReleases(since, release) <= 0;
  const asked = EVERY_CONTROL.filter((control) => level === "restricted" || control.level === level)
    .map((control) => ({ ...control, check: control.versions.filter(({ since }) => isThere(since)).at(-1)?.check }))
    .filter(({ check }) => check !== undefined);
  const overridden = new Set(asked.map(({ overrides }) => overrides));
  return asked
    .filter(({ id }) => !overridden.has(id))
    .map(({ check, passes = {} }) => unlessPassed(check as Check, passes, isThere));
}

function unlessPassed(
  check: Check,
  { windowsSince, ownUsersSince }: Passes,
  isThere: (since: string) => boolean,
): Check {
  const passesWindows = windowsSince !== undefined && isThere(windowsSince);
  const passesOwnUsers = ownUsersSince !== undefined && isThere(ownUsersSince);
  if (!passesWindows && !passesOwnUsers) return check;
  return (pod) => {
    if (passesWindows && pod.spec.os?.name === "windows") return undefined;
    if (passesOwnUsers && pod.spec.hostUsers === false) return undefined;
    return check(pod);
  };
}
