// Runs the rules of a kind on an object: decoding, defaults, preparation and validation. Used only by tests.
import {
  type FieldError,
  metadataErrors,
  metadataUpdateErrors,
  type ResourceDefinition,
  type ServedVersion,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

export interface RuleRun {
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
}

export interface RunOutcome {
  readonly object: JsonObject;
  readonly errors: readonly FieldError[];
  /** Warnings about the object; empty when it has errors, or when a subresource is written. */
  readonly warnings: readonly string[];
}

/** Time of the requests. */
export const NOW = "2024-05-01T12:00:00Z";

const request = { user: { name: "ann", groups: [] }, now: NOW };

/** @param body the object that a client creates */
export function createRun({ definition, version }: RuleRun, body: JsonObject): RunOutcome {
  const object = received(version, body);
  const errors = creationErrors(definition, object, version);
  return { object, errors, warnings: errors.length > 0 ? [] : (definition.strategy.warnings?.(object) ?? []) };
}

/**
 * @param operation `update`, or the name of a subresource
 * @param bodies the stored object, and what the client sends
 */
export function updateRun(
  { definition, version }: RuleRun,
  operation: string,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): RunOutcome {
  const old = existing(definition, received(version, before), before, version);
  const object = withIdentity(received(version, after), old);
  const errors = updateErrors(definition, operation, { next: object, old }, version);
  const isWarned = operation === "update" && errors.length === 0;
  return { object, errors, warnings: isWarned ? (definition.strategy.warnings?.(object, old) ?? []) : [] };
}

/** Decodes and defaults a request body. */
function received(version: ServedVersion, body: JsonObject): JsonObject {
  const { value, problems } = version.type.decode(structuredClone(body));
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  version.type.applyDefaults(value);
  return version.toHub === undefined ? value : version.toHub(value);
}

function creationErrors(
  { scope, strategy }: ResourceDefinition,
  object: JsonObject,
  through: ServedVersion,
): readonly FieldError[] {
  nameUniquely(object);
  strategy.prepareForCreate?.(object, { ...request, version: through });
  return [
    ...metadataErrors(object, { scope, ...strategy }),
    ...(strategy.validate?.(object, through) ?? []),
    ...(strategy.validateCreate?.(object, through) ?? []),
  ];
}

function updateErrors(
  { scope, strategy, subresources }: ResourceDefinition,
  operation: string,
  { next, old }: { readonly next: JsonObject; readonly old: JsonObject },
  through: ServedVersion,
): readonly FieldError[] {
  const rules = operation === "update" ? strategy : subresources[operation];
  if (rules === undefined) throw new Error(`no sub-resource ${operation}`);
  rules.prepareForUpdate?.(next, old, { ...request, version: through });
  return [
    ...metadataUpdateErrors(next, old, { scope, ...strategy }),
    ...(operation === "update" ? (strategy.validate?.(next, through, old) ?? []) : []),
    ...(rules.validateUpdate?.(next, old, through) ?? []),
  ];
}

/** Sets the uid, as the server does before it prepares a new object. */
function nameUniquely(object: JsonObject): void {
  object["metadata"] = { ...(object["metadata"] as JsonObject), uid: "u-1" };
}

/** Returns the stored object: prepared, but with the status of the row. */
function existing(
  { strategy }: ResourceDefinition,
  object: JsonObject,
  body: JsonObject,
  through: ServedVersion,
): JsonObject {
  nameUniquely(object);
  strategy.prepareForCreate?.(object, { ...request, version: through });
  const metadata = object["metadata"] as JsonObject;
  object["metadata"] = { ...metadata, resourceVersion: "1", creationTimestamp: request.now };
  if (body["status"] !== undefined) object["status"] = structuredClone(body["status"]);
  return object;
}

function withIdentity(next: JsonObject, old: JsonObject): JsonObject {
  const { uid, resourceVersion, creationTimestamp } = old["metadata"] as JsonObject;
  next["metadata"] = {
    ...(next["metadata"] as JsonObject),
    uid: uid ?? "",
    resourceVersion: resourceVersion ?? "",
    creationTimestamp: creationTimestamp ?? "",
  };
  return next;
}
