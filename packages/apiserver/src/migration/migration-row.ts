// How far the migration of one resource is: one row of the object that says so to everybody, and to the replica that goes on with it.
import { isObject } from "@orch/schema";

/**
 * - Pending: somebody is to begin, or to go on
 * - Running: a replica is at it
 * - Succeeded: all that was stored at its end is stored as it would be now
 * - Failed: something is not; `message` says what, and only another request begins anew
 */
export type MigrationPhase = (typeof PHASES)[number];

const PHASES = ["Pending", "Running", "Succeeded", "Failed"] as const;

const TEXTS = [
  /** RFC 3339. */
  "requested",
  "started",
  "finished",
  /** Into which objects are brought: `v1`, `group/version`. */
  "storageVersion",
  /** Of which state of the definition, where one has come at run time: changes with it. */
  "definition",
  /** The replica that is at it. */
  "by",
  /** Where this pass has come to, `[<namespace>/]<name>`. */
  "after",
  /** What is in the way. */
  "message",
] as const;

const NUMBERS = [
  /** All objects are looked at again until there is nothing to do. From 1. */
  "pass",
  /** Objects of this pass, of those that there are. */
  "looked",
  "objects",
  /** In all passes. */
  "rewritten",
  /** In this pass: what had to be done, and what of it could not. */
  "outdated",
  "failed",
  /** Counts the times that it was written down: one that stands still has nobody at it. */
  "beat",
] as const;

export type MigrationRow = { readonly phase: MigrationPhase } & {
  readonly [Name in (typeof TEXTS)[number]]: string;
} & { readonly [Name in (typeof NUMBERS)[number]]: number };

const BLANK = Object.fromEntries([
  ...TEXTS.map((name) => [name, ""]),
  ...NUMBERS.map((name) => [name, 0]),
]) as unknown as Omit<MigrationRow, "phase">;

/** As it is asked for. */
export const newRow = (requested: string): MigrationRow => ({ phase: "Pending", ...BLANK, requested });

export const isUnfinished = ({ phase }: MigrationRow): boolean => phase === "Pending" || phase === "Running";

export const rowText = (row: MigrationRow): string => JSON.stringify(row);

/** @returns undefined for what is no row: whoever may write the object may have written anything */
export function readRow(text: unknown): MigrationRow | undefined {
  const found = typeof text === "string" ? parsed(text) : undefined;
  if (!isObject(found)) return undefined;
  const phase = PHASES.find((each) => each === found["phase"]);
  const isRow =
    TEXTS.every((name) => typeof found[name] === "string") &&
    NUMBERS.every((name) => Number.isSafeInteger(found[name]) && (found[name] as number) >= 0);
  return phase !== undefined && isRow ? (found as unknown as MigrationRow) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
