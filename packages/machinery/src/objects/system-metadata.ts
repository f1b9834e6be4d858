// Metadata that only the server sets: assigned on create, preserved on update. Source: `BeforeCreate` and
// `BeforeUpdate` in staging/src/k8s.io/apiserver/pkg/registry/rest.

import type { Clock } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { generateName, generateUid, type Randomness } from "../names/name-generator";
import { timestamp } from "../values/timestamp";
import { writableMeta } from "./object-meta";

/**
 * Assigns a new object's name (when only `generateName` is set), uid and creation time, and removes fields that a new
 * object cannot have.
 */
export function stampNewObject(
  object: JsonObject,
  by: { readonly clock: Pick<Clock, "now">; readonly randomness: Randomness },
): void {
  const meta = writableMeta(object);
  for (const field of NOT_OF_NEW) if (meta[field] !== undefined) delete meta[field];
  meta["creationTimestamp"] = timestamp(by.clock.now());
  meta["uid"] = generateUid(by.randomness);
  const { name, generateName: base } = meta;
  if ((name === undefined || name === "") && typeof base === "string" && base !== "") {
    meta["name"] = generateName(base, by.randomness);
  }
}

/**
 * Restores server-maintained metadata in an update where changes are silently ignored. Validation refuses changes of
 * the other immutable fields.
 */
export function keepSystemMetadata(next: JsonObject, old: JsonObject): void {
  const meta = writableMeta(next);
  const before = writableMeta(old);
  for (const field of NOT_OF_CLIENTS) delete meta[field];
  for (const field of ALWAYS_KEPT) restore(meta, before, field);
  for (const field of KEPT_WHEN_ABSENT) {
    const value = meta[field];
    if (value === undefined || value === null || value === "") restore(meta, before, field);
  }
}

const NOT_OF_CLIENTS = ["selfLink", "clusterName"] as const;

const NOT_OF_NEW = [...NOT_OF_CLIENTS, "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"] as const;

/** Includes the generation, which the resource's rules may raise afterwards. */
const ALWAYS_KEPT = ["creationTimestamp", "deletionTimestamp", "generation"] as const;

const KEPT_WHEN_ABSENT = ["uid", "deletionGracePeriodSeconds"] as const;

function restore(meta: JsonObject, before: JsonObject, field: string): void {
  const value = before[field];
  if (value === undefined) delete meta[field];
  else meta[field] = value;
}
