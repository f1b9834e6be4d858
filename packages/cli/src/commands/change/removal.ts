// Waits until deleted objects are gone, and tells what holds back those that stay: finalizers, dependents, namespaces
// that still have objects.
import { metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { visible } from "../../output/columns";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { observe } from "./observe";
import { type Target, targetText, uidOf } from "./targets";

export interface RemovalOptions {
  /** Default: a week. */
  readonly timeoutMs?: number;
  /** Called for each object that is gone. */
  readonly gone?: (target: Target) => void;
}

export const WEEK_MS = 7 * 24 * 3_600_000;
/** Time after which the reasons of a wait are told. */
const PATIENCE_MS = 3_000;

/** Settles when each object is gone or replaced by another one of its name. The targets have the deleted objects. */
export async function removed(
  session: Session,
  targets: readonly Target[],
  { timeoutMs = WEEK_MS, gone }: RemovalOptions,
): Promise<void> {
  const left = new Map<Target, JsonObject | undefined>(targets.map((target) => [target, target.object]));
  const told = new Set<string>();
  const tell = () => {
    for (const [target, object] of left) {
      const why = object === undefined ? undefined : holdOf(object);
      if (why === undefined) continue;
      const line = `waiting for ${targetText(target)}: ${why}`;
      if (!told.has(line)) session.tell(line);
      told.add(line);
    }
  };
  const timer = setInterval(tell, PATIENCE_MS);
  try {
    await observe(session, targets, {
      timeoutMs,
      decide: (target, object) => {
        const before = target.object === undefined ? "" : uidOf(target.object);
        const isGone = object === undefined || (before !== "" && uidOf(object) !== before);
        if (isGone) {
          left.delete(target);
          gone?.(target);
        } else left.set(target, object);
        return isGone;
      },
      late: (late) =>
        new CliError(
          `timed out waiting for the condition on ${late.map((target) => lateText(target, left.get(target))).join(", ")}`,
        ),
    });
  } finally {
    clearInterval(timer);
  }
}

function lateText({ type, name }: Target, object: JsonObject | undefined): string {
  const why = object === undefined ? undefined : holdOf(object);
  return `${type.resource}/${name}${why === undefined ? "" : ` (${why})`}`;
}

/** Tells what keeps an object that is being deleted; undefined when nothing is known. */
export function holdOf(object: JsonObject): string | undefined {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds } = metaOf(object);
  if (deletionTimestamp === undefined || deletionTimestamp === null) return "it is not being deleted";
  const conditions = remainingIn(object);
  if (conditions !== undefined) return conditions;
  const own = finalizers.filter((each) => each !== "foregroundDeletion" && each !== "orphan").map(visible);
  const parts = [
    ...(own.length > 0 ? [`finalizers ${own.join(", ")} must be removed by their controllers`] : []),
    ...(finalizers.includes("foregroundDeletion") ? ["its dependents are deleted first"] : []),
    ...(finalizers.includes("orphan") ? ["its dependents are released first"] : []),
  ];
  if (parts.length > 0) return parts.join("; ");
  return deletionGracePeriodSeconds ? `it has ${deletionGracePeriodSeconds} s to stop` : undefined;
}

/** Returns what the conditions of a namespace say about its remaining objects. */
function remainingIn(object: JsonObject): string | undefined {
  const { conditions } = (object["status"] ?? {}) as { readonly conditions?: readonly JsonObject[] };
  const texts = (conditions ?? [])
    .filter(({ type, status }) => status === "True" && /Remaining|Failure/.test(String(type)))
    .map(({ message }) => visible(String(message)));
  return texts.length === 0 ? undefined : texts.join("; ");
}

/** Returns the line for a deleted object, as kubectl 1.34 and later print it. */
export function deletedText({ type, namespace, name }: Target, isForced: boolean, suffix = ""): string {
  const kind = `${type.kind.toLowerCase()}${type.group === "" ? "" : `.${type.group}`}`;
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  return `${kind} ${JSON.stringify(visible(name))} ${isForced ? "force deleted" : "deleted"}${where}${suffix}\n`;
}
