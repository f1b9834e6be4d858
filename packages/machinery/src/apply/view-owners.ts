// Field ownership through a subresource of another kind, such as scale. The view shows one field of its parent. The
// owners of that field in the parent become owners in the view, and the owners of a changed view those of the parent.
// Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.
import type { JsonArray, JsonObject } from "@orch/schema";
import { unclassified } from "../errors/server-errors";
import { difference, type FieldSet, isMember, LEAF } from "./field-set";
import { managedFieldsOf, type Owner, ownerKey, readOwners, writeOwners } from "./managed-fields";
import { fieldElement } from "./path-element";

/** The field of the parent that a view shows. */
export interface ViewedField {
  /** Path in the view. */
  readonly path: readonly string[];
  /**
   * Returns the path in a version of the parent, or undefined when the version has no such view.
   * @returns "unknown" for a version whose entries a change through the view drops
   */
  readonly pathIn: (apiVersion: string) => readonly string[] | undefined | "unknown";
}

interface ViewPlace {
  readonly field: ViewedField;
  /** Version of the view. */
  readonly apiVersion: string;
}

/**
 * Returns the managedFields of a view: an entry for each entry of the parent that owns the shown field.
 * @returns undefined when nobody owns the field
 * @throws StatusError unclassified (500) when the parent's entries cannot be parsed
 */
export function viewEntries(parent: JsonObject, { field, apiVersion }: ViewPlace): JsonArray | undefined {
  const fields = setOf(field.path);
  const owners = storedOwners(parent).filter((owner) => owns(owner, pathsOf(field, owner)));
  return writeOwners(owners.map((owner) => ({ ...owner, apiVersion, fields })));
}

/**
 * Returns the managedFields of the parent after a change of its view. Owners that the view no longer has lose the
 * field. An entry that the change adds has no time, as in Kubernetes.
 * @param parent state before the change
 * @param view with the managedFields after the change
 * @param parentVersion version of the parent through which the request was sent
 * @throws StatusError unclassified (500) when entries cannot be parsed
 */
export function parentEntries(
  of: { readonly parent: JsonObject; readonly view: JsonObject; readonly parentVersion: string },
  field: ViewedField,
): JsonArray | undefined {
  const before = storedOwners(of.parent);
  const changed = new Map(storedOwners(of.view).map((owner) => [ownerKey(owner), owner]));
  const owners = new Map<string, Owner>();
  for (const owner of before) {
    const path = pathsOf(field, owner);
    if (path === "unknown") continue;
    const key = ownerKey(owner);
    if (path === undefined || !owns(owner, path)) owners.set(key, owner);
    else if (changed.delete(key)) owners.set(key, owner);
    else {
      const fields = difference(owner.fields, setOf(path));
      if (fields !== undefined) owners.set(key, { ...owner, fields });
    }
  }
  const path = field.pathIn(of.parentVersion);
  if (path === undefined || path === "unknown") return writeOwners([...owners.values()]);
  const fields = setOf(path);
  for (const [key, owner] of changed) {
    if (!has(owner.fields, field.path)) continue;
    const time = before.find((each) => ownerKey(each) === key)?.time ?? "";
    // An updater's key has the version of the view, and its entry stays apart from one that it has in the parent.
    owners.set(key, { ...owner, apiVersion: of.parentVersion, time, fields });
  }
  return writeOwners([...owners.values()]);
}

function storedOwners(object: JsonObject): readonly Owner[] {
  try {
    return readOwners(managedFieldsOf(object));
  } catch (error) {
    if (error instanceof SyntaxError) throw unclassified(`cannot read metadata.managedFields: ${error.message}`);
    throw error;
  }
}

const pathsOf = (field: ViewedField, { apiVersion }: Owner) => field.pathIn(apiVersion);

const owns = ({ fields }: Owner, path: ReturnType<ViewedField["pathIn"]>): boolean =>
  path !== undefined && path !== "unknown" && has(fields, path);

function has(fields: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = fields;
  for (const name of path) node = node?.[fieldElement(name)];
  return node !== undefined && isMember(node);
}

const setOf = (path: readonly string[]): FieldSet =>
  path.reduceRight<FieldSet>((below, name) => ({ [fieldElement(name)]: below }), LEAF);
