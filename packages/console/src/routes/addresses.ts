// Addresses of the pages about objects.
import type { AskedAction } from "@orch/access";
import { qualifiedName, type Resource } from "../discovery/resource";
import { addressOf } from "./route";

type Place = Pick<Resource, "group" | "version" | "name">;
/** Stands for the core group, because a part of an address is not empty. */
const CORE = "core";
/** Stands for the namespace of objects without one. */
const NONE = "-";

export const kindsAddress = (namespace?: string): string => addressOf("kinds", [], { ns: namespace });

export const tableAddress = (resource: Place, query: Readonly<Record<string, string | undefined>> = {}): string =>
  addressOf("objects", placeParts(resource), query);

export const objectAddress = (
  resource: Place,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  query: Readonly<Record<string, string | undefined>> = {},
): string => addressOf("object", [...placeParts(resource), namespace || NONE, name], query);

export const createAddress = (resource: Place, namespace?: string): string =>
  addressOf("create", placeParts(resource), { ns: namespace });

export const editAddress = (
  resource: Place,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string => addressOf("edit", [...placeParts(resource), namespace || NONE, name]);

/** Address of the deleted objects of a resource. */
export const deletedAddress = (resource: Place, namespace?: string): string =>
  addressOf("deleted", placeParts(resource), { ns: namespace });

/** Address of a view of the page about access. */
export const accessAddress = (view: string, query: Readonly<Record<string, string | undefined>> = {}): string =>
  addressOf("access", [view], query);

/** Address of the question whether the user may act, and who may. */
export function questionAddress(asked: AskedAction): string {
  if (asked.kind === "path") return accessAddress("question", { verb: asked.verb, resource: asked.path });
  const { verb, group, resource, subresource, name, namespace } = asked;
  return accessAddress("question", {
    ...{ verb, resource: qualifiedName({ group, name: resource }), sub: subresource, name, ns: namespace },
  });
}

const placeParts = ({ group, version, name }: Place): string[] => [group || CORE, version, name];

export interface ResourcePlace {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export function readPlace([group = "", version = "", resource = ""]: readonly string[]): ResourcePlace {
  return { group: group === CORE ? "" : group, version, resource };
}

/** Reads the namespace and the name that follow the place of an object's resource. */
export function readObjectName(parts: readonly string[]): { readonly namespace?: string; readonly name: string } {
  const [, , , namespace = NONE, name = ""] = parts;
  return namespace === NONE ? { name } : { namespace, name };
}
