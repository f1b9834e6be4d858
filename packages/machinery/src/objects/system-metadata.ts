// The metadata that the server alone decides: set on create, kept on update. Source: facts, http.md "Update rules common to all kinds".

import type { Clock } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { timestamp } from "../values/timestamp";
import { generateName, generateUid, type Randomness } from "./name-generator";
import { writableMeta } from "./object-meta";

/** Gives a new object its name (if only `generateName` is set), uid and time, and drops what belongs to the object's later life. */
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

/** Restores in the next state what an update may not change, where silence is the rule; the rest is for validation to refuse. */
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

/** The generation too: the rules of the kind, which run afterwards, may raise it. */
const ALWAYS_KEPT = ["creationTimestamp", "deletionTimestamp", "generation"] as const;

const KEPT_WHEN_ABSENT = ["uid", "deletionGracePeriodSeconds"] as const;

function restore(meta: JsonObject, before: JsonObject, field: string): void {
  const value = before[field];
  if (value === undefined) delete meta[field];
  else meta[field] = value;
}
