// Progress of the migration of one resource: one entry of the shared record that clients read, and from which another
// replica resumes.
import { isObject } from "@orch/schema";

/**
 * - Pending: a replica is to start or resume the migration
 * - Running: a replica works on it
 * - Succeeded: all objects that were stored at its end have the present form
 * - Failed: some objects do not; `message` names the cause, and only a new request starts again
 */
type MigrationPhase = (typeof PHASES)[number];

const PHASES = ["Pending", "Running", "Succeeded", "Failed"] as const;

const TEXTS = [
  /** RFC 3339. */
  "requested",
  "started",
  "finished",
  /** API version to which objects are converted: `v1`, `group/version`. */
  "storageVersion",
  /** State of the custom resource definition, which changes with it; "" for built-in resources. */
  "definition",
  /** The replica that runs the migration. */
  "by",
  /** Position of this pass, `[<namespace>/]<name>`. */
  "after",
  /** The cause of a failure or delay. */
  "message",
] as const;

const NUMBERS = [
  /** Number of the pass, from 1. Passes repeat until one finds no outdated object. */
  "pass",
  /** Objects of this pass that were checked, and the number of objects that exist. */
  "looked",
  "objects",
  /** Objects rewritten in all passes. */
  "rewritten",
  /** Objects of this pass that were outdated, and those that could not be rewritten. */
  "outdated",
  "failed",
  /** Incremented with each save: a counter that does not change means that no replica works on the row. */
  "beat",
] as const;

export type MigrationRow = { readonly phase: MigrationPhase } & {
  readonly [Name in (typeof TEXTS)[number]]: string;
} & { readonly [Name in (typeof NUMBERS)[number]]: number };

const BLANK = Object.fromEntries([
  ...TEXTS.map((name) => [name, ""]),
  ...NUMBERS.map((name) => [name, 0]),
]) as unknown as Omit<MigrationRow, "phase">;

/** Returns the row of a new request. */
export const newRow = (requested: string): MigrationRow => ({ phase: "Pending", ...BLANK, requested });

export const isUnfinished = ({ phase }: MigrationRow): boolean => phase === "Pending" || phase === "Running";

export const rowText = (row: MigrationRow): string => JSON.stringify(row);

/** @returns undefined for text that is no row: any client that may write the object may have put anything there */
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
