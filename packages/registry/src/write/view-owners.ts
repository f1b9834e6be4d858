// Field ownership of a change through a subresource of another kind, such as scale. Source: Kubernetes documentation,
// "Server-Side Apply"; staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.

import {
  type ObjectVersions,
  parentEntries,
  type ServedVersion,
  type SubresourceView,
  type ViewedField,
  viewEntries,
  writableMeta,
} from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { Patch } from "../contract/operations";
import { type FieldWriter, trackFields, writerOf } from "./field-tracking";
import { appliedObject, applyOptions } from "./patch";

/** The owners of the field that a view shows. */
export interface ViewOwners {
  /** Returns the view of the stored parent, with the owners of its field. A new object at each call. */
  readonly shown: () => JsonObject;
  /** Records the writer in the next view. @returns the next view */
  readonly tracked: (live: JsonObject, next: JsonObject) => JsonObject;
  /** Applies a body to the view. @throws StatusError, see `applyPatch` */
  readonly applied: (live: JsonObject, apply: Apply) => JsonObject;
  /** Sets the managedFields of the next parent to the owners in the next view. */
  readonly record: (parent: JsonObject, view: JsonObject) => void;
}

type Apply = Extract<Patch, { readonly kind: "apply" }>;

/** @param parent the stored parent, in the hub form */
export function viewOwners(
  context: ResourceContext,
  parent: JsonObject,
  write: FieldWriter & { readonly view: SubresourceView; readonly subresource: { readonly name: string } },
): ViewOwners {
  const { field } = write.view;
  return field === undefined || !context.tracksFields
    ? untracked(parent, write)
    : tracked(context, parent, { ...write, field });
}

/** Ownership in releases that do not track it through views: the managedFields of the parent stay unchanged. */
function untracked(
  parent: JsonObject,
  { view, subresource }: { readonly view: SubresourceView; readonly subresource: { readonly name: string } },
): ViewOwners {
  return {
    shown: () => view.read(parent),
    tracked: (_live, next) => next,
    applied() {
      throw new Error(`the subresource ${subresource.name} does not support server-side apply`);
    },
    record: () => undefined,
  };
}

function tracked(
  context: ResourceContext,
  parent: JsonObject,
  write: FieldWriter & { readonly view: SubresourceView; readonly field: ViewedField },
): ViewOwners {
  const { view, field, version } = write;
  const entries = viewEntries(parent, { field, apiVersion: view.version.apiVersion });
  const writer = { ...write, version: view.version };
  const versions = onlyVersion(view.version);
  return {
    shown() {
      const object = view.read(parent);
      setEntries(object, entries);
      return object;
    },
    tracked(live, next) {
      trackFields({ ...context, versions }, { old: live, next }, writer);
      return next;
    },
    applied(live, { body, force }) {
      const compared = entries === undefined ? live : whereZeroIsSet(live, body, field.path);
      const by = writerOf(context, writer);
      return appliedObject({ live: compared, applied: body, force, by, versions, ...applyOptions(context) });
    },
    record(next, object) {
      setEntries(next, parentEntries({ parent, view: object, parentVersion: version.apiVersion }, field));
    },
  };
}

/**
 * Returns the view that an apply is compared with. A view does not contain its field while that is 0, so that an apply
 * of 0 sets the field and conflicts with its owners, as in Kubernetes.
 */
function whereZeroIsSet(live: JsonObject, body: JsonObject, path: readonly string[]): JsonObject {
  return valueAt(body, path) === 0 && valueAt(live, path) === undefined ? withValue(live, path, UNLIKE_ZERO) : live;
}

/** A value that no view has. */
const UNLIKE_ZERO = -1;

const valueAt = (object: JsonValue | undefined, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((at, name) => (isObject(at) ? memberOf(at, name) : undefined), object);

function withValue(object: JsonObject, [name = "", ...below]: readonly string[], value: JsonValue): JsonObject {
  const before = memberOf(object, name);
  const member = below.length === 0 ? value : withValue(isObject(before) ? before : {}, below, value);
  return { ...object, [name]: member };
}

function setEntries(object: JsonObject, entries: JsonArray | undefined): void {
  const meta = writableMeta(object);
  if (entries === undefined) delete meta["managedFields"];
  else meta["managedFields"] = entries;
}

/** A view has one version. */
const onlyVersion = (version: ServedVersion): ObjectVersions => ({
  typeOf: (apiVersion) => (apiVersion === version.apiVersion ? version.type : undefined),
  convert: (object) => object,
});
