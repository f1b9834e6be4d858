// Finds the fields that an apply changes and other managers own. Source: "Server-Side Apply" in the Kubernetes
// documentation, "Conflicts".

import { applyConflict, ERRORS_MAX, type OwnedField } from "../errors/object-errors";
import type { StatusError } from "../errors/status-error";
import { difference, type FieldSet, intersection, memberCount, pathTexts } from "./field-set";
import type { Owner } from "./managed-fields";
import type { VersionedChange } from "./versioned-change";

export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/**
 * Finds conflicts.
 * @param others all owners except the applier
 */
export function conflictsWith(others: readonly Owner[], change: VersionedChange): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const owner of others) {
    const fields = intersection(owner.fields, change.in(owner.apiVersion)?.written);
    if (fields !== undefined) conflicts.push({ owner, fields });
  }
  return conflicts;
}

/** Returns the conflicts without the allowed fields. */
export function exceptFor(allowed: FieldSet | undefined, conflicts: readonly Conflict[]): readonly Conflict[] {
  return conflicts.flatMap(({ owner, fields }) => {
    const rest = difference(fields, allowed);
    return rest === undefined ? [] : [{ owner, fields: rest }];
  });
}

/**
 * Builds the Conflict error: one cause per field and manager, sorted by the identity of the manager. Source:
 * staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go.
 */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const byOwner = conflicts
    .map(({ owner, fields }) => ({ identity: identityText(owner), owner: ownerText(owner), fields }))
    .sort((one, other) => (one.identity === other.identity ? 0 : one.identity < other.identity ? -1 : 1));
  const told: OwnedField[] = [];
  let count = 0;
  for (const { owner, fields } of byOwner) {
    for (const path of pathTexts(fields, ERRORS_MAX - told.length)) told.push({ owner, path });
    count += memberCount(fields);
  }
  return applyConflict(told, count);
}

/** Returns the identity as in Kubernetes: the JSON of an entry that has only these members, without the empty ones. */
const identityText = ({ manager, operation, apiVersion, subresource }: Owner): string =>
  JSON.stringify({
    ...(manager !== "" && { manager }),
    operation,
    ...(operation !== "Apply" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  });

function ownerText({ manager, subresource, operation, apiVersion }: Owner): string {
  const part = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
