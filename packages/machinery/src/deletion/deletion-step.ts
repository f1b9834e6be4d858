// Decides how a deletion affects the current object: no change, mark it as terminating, or remove it. Source:
// `BeforeDelete` in staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go, and
// deletionFinalizersForGarbageCollection in staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go.
import { type JsonObject, nextInteger } from "@orch/schema";
import { metaOf, type ObjectMeta } from "../objects/object-meta";
import type { DeleteOptions } from "../requests/delete-options";
import { timestamp } from "../values/timestamp";
import type { DeletionRules } from "./deletion-rules";
import { finalizersOfDeletion } from "./dependents-finalizers";

export type DeletionStep =
  /** The deletion is in progress, and this request changes nothing. */
  | { readonly kind: "keep" }
  | { readonly kind: "mark"; readonly object: JsonObject }
  /** Remove the object; `last` is its last state, for the response and the watch event. */
  | { readonly kind: "remove"; readonly last: JsonObject };

export interface RequestedDeletion extends Pick<DeleteOptions, "gracePeriodSeconds" | "propagation"> {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** See `ServedVersion.orphansDependents`. */
  readonly orphansByDefault: boolean;
}

/**
 * Decides the step of a deletion.
 * @param given not modified; the result shares unchanged parts with it
 */
export function deletionStep(given: JsonObject, rules: DeletionRules, asked: RequestedDeletion): DeletionStep {
  const { prepared } = rules;
  const object = prepared === undefined || metaOf(given).deletionTimestamp ? given : prepared(given, asked.nowMs);
  const meta = metaOf(object);
  const { termination } = rules;
  if (termination !== undefined && !(meta.deletionTimestamp && termination.isOver(object))) {
    return meta.deletionTimestamp ? KEEP : begin(object, termination.begun, finalizersAfter(meta, rules, asked), asked);
  }
  const grace = graceOf(object, rules, asked);
  if (grace === "pending") return KEEP;
  const finalizers = finalizersAfter(meta, rules, asked);
  if (grace !== "none") {
    const marked = withMeta(object, { ...grace, ...finalizersField(meta, finalizers), ...nextGeneration(meta) });
    const stays = finalizers.length > 0 || grace.deletionGracePeriodSeconds > 0;
    return stays ? { kind: "mark", object: marked } : { kind: "remove", last: marked };
  }
  return finalizers.length === 0 ? { kind: "remove", last: object } : held(object, finalizers, asked);
}

/**
 * Reports whether an update releases a terminating object. Such an update removes the object instead of writing it.
 * @param next the object that the update would write
 */
export function isReleased(next: JsonObject, old: JsonObject, rules: DeletionRules): boolean {
  if (!metaOf(old).deletionTimestamp) return false;
  const { finalizers = [], deletionGracePeriodSeconds } = metaOf(next);
  return finalizers.length === 0 && !deletionGracePeriodSeconds && (rules.termination?.isOver(next) ?? true);
}

const KEEP: DeletionStep = { kind: "keep" };

/**
 * Starts the termination of an object that a controller releases. The metadata gets only a deletion time and the
 * finalizers, without a grace period.
 */
function begin(
  object: JsonObject,
  begun: (object: JsonObject) => JsonObject,
  finalizers: readonly string[],
  { nowMs }: RequestedDeletion,
): DeletionStep {
  const fields = finalizersField(metaOf(object), finalizers);
  return { kind: "mark", object: begun(withMeta(object, { deletionTimestamp: timestamp(nowMs), ...fields })) };
}

/** Marks an object that finalizers hold. Once it is marked, only a change of its finalizers causes a write. */
function held(object: JsonObject, finalizers: readonly string[], { nowMs }: RequestedDeletion): DeletionStep {
  const meta = metaOf(object);
  const { deletionTimestamp, deletionGracePeriodSeconds } = meta;
  const begun = deletionTimestamp ? Date.parse(deletionTimestamp) <= nowMs : false;
  if (begun && deletionGracePeriodSeconds === 0 && sameMembers(finalizers, meta.finalizers)) return KEEP;
  return {
    kind: "mark",
    object: withMeta(object, {
      ...(begun ? {} : { deletionTimestamp: timestamp(nowMs) }),
      deletionGracePeriodSeconds: 0,
      ...finalizersField(meta, finalizers),
      ...nextGeneration(meta),
    }),
  };
}

/** The time at which the grace period ends, and its length. */
interface Grace {
  readonly deletionTimestamp: string;
  readonly deletionGracePeriodSeconds: number;
}

/**
 * Returns the grace period to set. `pending`: the grace period is running and the request does not shorten it. `none`:
 * the resource has no grace period, or it has elapsed, so that the deletion continues now.
 */
function graceOf(object: JsonObject, rules: DeletionRules, asked: RequestedDeletion): Grace | "pending" | "none" {
  const { deletionTimestamp, deletionGracePeriodSeconds: given } = metaOf(object);
  const { graceSeconds } = rules;
  if (graceSeconds === undefined) return "none";
  if (!deletionTimestamp) return graceUntil(asked.nowMs, sane(graceSeconds(object, asked.gracePeriodSeconds)));
  if (!given) return "none";
  const { gracePeriodSeconds: seconds = given } = asked;
  if (sane(seconds) >= given) return "pending";
  return graceUntil(Date.parse(deletionTimestamp) - given * 1000, sane(seconds));
}

/**
 * Replaces a negative grace period by one second, so that it does not mean immediate deletion, and limits it to the
 * maximum of a 32-bit integer.
 */
const sane = (seconds: number | bigint): number => (seconds < 0 ? 1 : Math.min(Number(seconds), GRACE_MAX_SECONDS));

const GRACE_MAX_SECONDS = 2 ** 31 - 1;

const graceUntil = (beginMs: number, seconds: number): Grace => ({
  deletionTimestamp: timestamp(beginMs + seconds * 1000),
  deletionGracePeriodSeconds: seconds,
});

function finalizersAfter(
  { finalizers = [] }: ObjectMeta,
  rules: DeletionRules,
  { propagation, orphansByDefault }: RequestedDeletion,
): readonly string[] {
  return rules.ignoresDependents ? finalizers : finalizersOfDeletion(finalizers, propagation, orphansByDefault);
}

/** Returns the finalizers field when it changes. An empty list is left out. */
function finalizersField({ finalizers }: ObjectMeta, next: readonly string[]): JsonObject {
  return sameMembers(next, finalizers) ? {} : { finalizers: [...next] };
}

function sameMembers(some: readonly string[], others: readonly string[] = []): boolean {
  if (some.length !== others.length) return false;
  const known = new Set(others);
  return some.every((each) => known.has(each));
}

/** Increments the generation when the deletion starts. Later deletion steps leave it unchanged. */
function nextGeneration({ deletionTimestamp, generation = 0 }: ObjectMeta): JsonObject {
  return !deletionTimestamp && generation > 0 ? { generation: nextInteger(generation) } : {};
}

function withMeta(object: JsonObject, fields: Readonly<JsonObject>): JsonObject {
  const { finalizers, ...others } = { ...(object["metadata"] as JsonObject), ...fields };
  const empty = Array.isArray(finalizers) && finalizers.length === 0;
  return { ...object, metadata: { ...others, ...(finalizers === undefined || empty ? {} : { finalizers }) } };
}
