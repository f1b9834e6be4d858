// Errors about one object: not found, already exists, conflict, invalid. Source:
// staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.

import { type GroupKind, type GroupResource, kindText, resourceText } from "../names/group-names";
import { type FieldError, fieldErrorBody, fieldErrorReason, fieldErrorText } from "./field-error";
import { type StatusDetails, StatusError } from "./status-error";

export const notFound = (of: GroupResource, name: string): StatusError =>
  new StatusError("NotFound", `${resourceText(of)} "${name}" not found`, resourceDetails(of, name));

export const alreadyExists = (of: GroupResource, name: string): StatusError =>
  new StatusError("AlreadyExists", existsText(of, name), resourceDetails(of, name));

/** AlreadyExists: the name is taken by an object that waits for its finalizers. */
export const stillBeingDeleted = (of: GroupResource, name: string): StatusError =>
  new StatusError("AlreadyExists", `object is being deleted: ${existsText(of, name)}`, resourceDetails(of, name));

/** Texts of conflicts between the expected and the current state of an object. */
export const CONFLICT_TEXT = {
  modified: () => "the object has been modified; please apply your changes to the latest version and try again",
  uidPrecondition: (uid: { readonly wanted: string; readonly found: string }) =>
    `the UID in the precondition (${uid.wanted}) does not match the UID in record (${uid.found}). ` +
    "The object might have been deleted and then recreated",
  uidOfViewedObject: (uid: { readonly wanted: string; readonly found: string }) =>
    `Precondition failed: UID in precondition: ${uid.wanted}, UID in object meta: ${uid.found}`,
  resourceVersionPrecondition: (version: { readonly wanted: string; readonly found: string }) =>
    `the ResourceVersion in the precondition (${version.wanted}) does not match the ResourceVersion in record ` +
    `(${version.found}). The object might have been modified`,
  uidOfMissingObject: (uid: string) =>
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
} as const;

/**
 * Conflict error.
 * @param of the resource, or the kind when the precondition of a deletion failed
 */
export const conflict = (of: GroupResource, name: string, text: string): StatusError =>
  new StatusError(
    "Conflict",
    `Operation cannot be fulfilled on ${resourceText(of)} "${name}": ${text}`,
    resourceDetails(of, name),
  );

/** Identity of an object, as preconditions name it. */
interface ObjectIdentity {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** @param of the kind of the object @throws StatusError Conflict (409) for a precondition that is not met */
export function requirePreconditions(
  of: GroupResource,
  name: string,
  { wanted, found }: { readonly wanted: Partial<ObjectIdentity>; readonly found: ObjectIdentity },
): void {
  if (wanted.uid !== undefined && wanted.uid !== found.uid) {
    throw conflict(of, name, CONFLICT_TEXT.uidPrecondition({ wanted: wanted.uid, found: found.uid }));
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== found.resourceVersion) {
    const versions = { wanted: wanted.resourceVersion, found: found.resourceVersion };
    throw conflict(of, name, CONFLICT_TEXT.resourceVersionPrecondition(versions));
  }
}

/** A field that an apply sets and another manager owns. */
export interface OwnedField {
  /** Manager with quotes, such as `"manager"` or `"manager" using apps/v1`. */
  readonly owner: string;
  /** Path, such as `.spec.containers[name="a"].image`. */
  readonly path: string;
}

/**
 * Conflict error of an apply.
 * @param fields the conflicts that are listed, in the order of the message
 * @param count total number of conflicts
 */
export function applyConflict(fields: readonly OwnedField[], count = fields.length): StatusError {
  const causes = fields.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${owner}`,
    field: path,
  }));
  return new StatusError("Conflict", applyConflictText(fields, count), { causes });
}

/**
 * Invalid error: one message for all validation errors, and one cause for each, up to ERRORS_MAX.
 * @param of the kind, not the resource
 */
export function invalid(of: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const told = errors.length <= ERRORS_MAX ? errors : errors.slice(0, ERRORS_MAX);
  const more = told === errors ? "" : `, and ${errors.length - told.length} more`;
  return new StatusError("Invalid", `${kindText(of)} "${name}" is invalid: ${aggregateText(told)}${more}`, {
    name,
    group: of.group,
    kind: of.kind,
    causes: told.map((error) => ({
      reason: fieldErrorReason(error),
      message: fieldErrorBody(error),
      field: error.path,
    })),
  });
}

/** Maximum number of errors in a response. A body may contain a million errors, and the response must stay small. */
export const ERRORS_MAX = 1000;

/** ServerTimeout: all names generated for a `generateName` were taken. */
export const generatedNameTaken = (of: GroupKind): StatusError =>
  new StatusError(
    "ServerTimeout",
    `The POST operation against ${kindText(of)} could not be completed at this time, please try again.`,
    { name: "POST", group: of.group, kind: of.kind },
  );

function aggregateText(errors: readonly FieldError[]): string {
  const distinct = [...new Set(errors.map(fieldErrorText))];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

function applyConflictText(fields: readonly OwnedField[], count: number): string {
  const [first] = fields;
  if (count === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.owner}: ${first.path}`;
  }
  const pathsByOwner = new Map<string, string[]>();
  for (const { owner, path } of fields) {
    const paths = pathsByOwner.get(owner);
    if (paths === undefined) pathsByOwner.set(owner, [path]);
    else paths.push(path);
  }
  const sections = [...pathsByOwner].map(([owner, paths]) =>
    [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)].join("\n"),
  );
  const more = fields.length === count ? "" : `\nand ${count - fields.length} more`;
  return `Apply failed with ${count} conflicts: ${sections.join("\n")}${more}`;
}

const existsText = (of: GroupResource, name: string): string => `${resourceText(of)} "${name}" already exists`;

const resourceDetails = (of: GroupResource, name: string): StatusDetails => ({
  name,
  group: of.group,
  kind: of.resource,
});
