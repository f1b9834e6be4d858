// What can be asked of the server, in the words of a published schema document: one entry a path and method, in no version's form.
// Source: facts, http.md "Routing" and "Query parameters"; vocabulary.json, hazards (names of operations).
import type { GroupVersion, ServedVersion } from "@orch/machinery";
import type { GroupVersionKind, RuntimeType, Schema, Vocabulary } from "@orch/schema";
import type { Route } from "../handlers/resource-route";
import type { QueryParameterName } from "./operation-parameters";
import { DELETE_PARAMETERS, LIST_PARAMETERS, WRITE_PARAMETERS } from "./operation-parameters";

export type Method = "get" | "put" | "post" | "delete" | "patch";

export interface Operation {
  /** Of the document that it stands in where there is one for each group version, such as `apis/apps/v1`. */
  readonly document: string;
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  /** What is done and to what, as clients of the field read it; none for the documents of discovery. */
  readonly marks: { readonly action: string; readonly kind: GroupVersionKind } | undefined;
  readonly placeholders: readonly ("name" | "namespace")[];
  readonly query: readonly QueryParameterName[];
  readonly body: { readonly type: RuntimeType; readonly required: boolean } | undefined;
  readonly answer: RuntimeType | undefined;
  readonly codes: readonly number[];
  /** Whether the answer may be a stream of changes. */
  readonly watches: boolean;
}

export interface OperationNaming {
  readonly schema: Schema;
  /** The part of a group's published name that carries only the product's name, with its dot. */
  readonly productSuffix: string;
}

/** Every product group ends in it; this one is nothing but its id and the suffix. */
export function productSuffix(vocabulary: Vocabulary): string {
  return vocabulary.groups.apidiscovery.slice("apidiscovery".length);
}

/** The operations of one resource in one version, or of one of its sub-resources. */
export function operationsOf(route: Route, naming: OperationNaming): readonly Operation[] {
  if (route.connection !== undefined) return [];
  return route.subresource === undefined ? resourceOperations(route, naming) : subresourceOperations(route, naming);
}

const META = "meta/v1";

/** The documents of discovery themselves. @param served group versions, each once */
export function discoveryOperations(served: readonly GroupVersion[], naming: OperationNaming): readonly Operation[] {
  const { schema } = naming;
  const document = (path: string, operationId: string, tag: string, type: RuntimeType | undefined): Operation => ({
    document: path.slice(1, -1),
    path,
    method: "get",
    operationId,
    summary: `Tells what is served under ${path}`,
    tag,
    marks: undefined,
    placeholders: [],
    query: [],
    body: undefined,
    answer: type,
    codes: [200],
    watches: false,
  });
  const meta = (kind: string) => schema.type(META, kind);
  const named = [...new Set(served.map(({ group }) => group))].filter((group) => group !== "");
  return [
    document("/api/", "getCoreAPIVersions", "core", meta("APIVersions")),
    document("/apis/", "getAPIVersions", "apis", meta("APIGroupList")),
    document("/version/", "getCodeVersion", "version", schema.type("version", "Info")),
    ...named.map((group) => {
      const words = groupWords(group, naming.productSuffix);
      const name = words.map(capitalized).join("");
      return document(`/apis/${group}/`, `get${name}APIGroup`, joined(words), meta("APIGroup"));
    }),
    ...served.map((version) => {
      const id = `get${groupPart(version, naming)}APIResources`;
      return document(`${pathOf(version)}/`, id, tagOf(version, naming), meta("APIResourceList"));
    }),
  ];
}

function resourceOperations(route: Route, naming: OperationNaming): readonly Operation[] {
  const { definition, version, verbs } = route;
  const { schema } = naming;
  const { struct } = version.type;
  const namespaced = definition.scope === "Namespaced";
  const place = pathOf(version);
  const collection = `${place}${namespaced ? "/namespaces/{namespace}" : ""}/${definition.plural}`;
  const inNamespace = namespaced ? (["namespace"] as const) : [];
  const name = (verb: string, suffix = "") =>
    `${verb}${groupPart(version, naming)}${namespaced && suffix === "" ? "Namespaced" : ""}${version.kind}${suffix}`;
  const kind = kindOf(version);
  const shared = { document: place.slice(1), tag: tagOf(version, naming), watches: false, body: undefined };
  const ofCollection = { ...shared, path: collection, placeholders: inNamespace };
  const ofItem = { ...shared, path: `${collection}/{name}`, placeholders: ["name", ...inNamespace] as const };
  const status = schema.type(META, "Status");
  const deleteBody = { type: known(schema.type(META, "DeleteOptions")), required: false };
  const list = schema.objectType(version.group, version.version, definition.listKind)?.struct;
  const what = definition.kind;

  const operations: Operation[] = [];
  if (verbs.has("list")) {
    const marks = { action: "list", kind };
    const listing = { method: "get", marks, query: LIST_PARAMETERS, answer: list, codes: [200] } as const;
    const summary = `Lists or watches objects of kind ${what}.`;
    operations.push({ ...ofCollection, ...listing, summary, operationId: name("list"), watches: true });
    if (namespaced) {
      const everywhere = { path: `${place}/${definition.plural}`, placeholders: [] };
      const operationId = name("list", "ForAllNamespaces");
      operations.push({ ...ofCollection, ...everywhere, ...listing, summary, operationId, watches: true });
    }
  }
  if (verbs.has("create")) {
    operations.push({
      ...ofCollection,
      method: "post",
      marks: { action: "post", kind },
      operationId: name("create"),
      summary: `Creates a ${what}.`,
      query: WRITE_PARAMETERS,
      body: { type: struct, required: true },
      answer: struct,
      codes: [200, 201, 202],
    });
  }
  if (verbs.has("deletecollection")) {
    const namespacedPart = namespaced ? "Namespaced" : "";
    operations.push({
      ...ofCollection,
      method: "delete",
      marks: { action: "deletecollection", kind },
      operationId: `delete${groupPart(version, naming)}Collection${namespacedPart}${version.kind}`,
      summary: `Deletes every ${what} that the selectors choose.`,
      query: [...LIST_PARAMETERS.filter((parameter) => !WATCH_ONLY.has(parameter)), ...DELETE_PARAMETERS],
      body: deleteBody,
      answer: status,
      codes: [200],
    });
  }
  if (verbs.has("get")) operations.push(reading({ ...ofItem, kind }, name("read"), what, struct));
  if (verbs.has("update")) operations.push(replacing({ ...ofItem, kind }, name("replace"), what, struct));
  if (verbs.has("patch")) operations.push(patching({ ...ofItem, kind }, name("patch"), what, { struct, schema }));
  if (verbs.has("delete")) {
    operations.push({
      ...ofItem,
      method: "delete",
      marks: { action: "delete", kind },
      operationId: name("delete"),
      summary: `Deletes a ${what}.`,
      query: DELETE_PARAMETERS,
      body: deleteBody,
      answer: definition.deleteReturnsObject ? struct : status,
      codes: [200, 202],
    });
  }
  return operations;
}

const WATCH_ONLY: ReadonlySet<QueryParameterName> = new Set([
  "watch",
  "allowWatchBookmarks",
  "sendInitialEvents",
  "timeoutSeconds",
]);

function subresourceOperations(route: Route, naming: OperationNaming): readonly Operation[] {
  const { definition, version, bodies, subresource, verbs } = route;
  const { struct } = bodies.type;
  const namespaced = definition.scope === "Namespaced";
  const part = subresource?.name ?? "";
  const path = `${pathOf(version)}${namespaced ? "/namespaces/{namespace}" : ""}/${definition.plural}/{name}/${part}`;
  const subject = `${groupPart(version, naming)}${namespaced ? "Namespaced" : ""}${version.kind}${capitalized(part)}`;
  const placeholders = ["name", ...(namespaced ? (["namespace"] as const) : [])] as const;
  const kind = kindOf(bodies);
  const document = pathOf(version).slice(1);
  const shared = { document, tag: tagOf(version, naming), watches: false, body: undefined, path, placeholders };
  const what = `${definition.kind}'s ${part}`;

  const operations: Operation[] = [];
  if (verbs.has("get")) operations.push(reading({ ...shared, kind }, `read${subject}`, what, struct));
  if (verbs.has("update")) operations.push(replacing({ ...shared, kind }, `replace${subject}`, what, struct));
  if (verbs.has("patch")) {
    operations.push(patching({ ...shared, kind }, `patch${subject}`, what, { struct, schema: naming.schema }));
  }
  if (verbs.has("create")) {
    operations.push({
      ...shared,
      method: "post",
      marks: { action: "post", kind },
      operationId: `create${subject}`,
      summary: `Creates a ${what}.`,
      query: WRITE_PARAMETERS,
      body: { type: struct, required: true },
      answer: struct,
      codes: [200, 201, 202],
    });
  }
  return operations;
}

type Place = Pick<Operation, "document" | "path" | "tag" | "placeholders" | "watches"> & {
  readonly kind: GroupVersionKind;
};

function reading({ kind, ...place }: Place, operationId: string, what: string, struct: RuntimeType): Operation {
  const shared = {
    marks: { action: "get", kind },
    summary: `Reads a ${what}.`,
    query: [],
    body: undefined,
    codes: [200],
  };
  return { ...place, ...shared, method: "get", operationId, answer: struct };
}

function replacing({ kind, ...place }: Place, operationId: string, what: string, struct: RuntimeType): Operation {
  const marks = { action: "put", kind };
  const shared = { marks, summary: `Replaces a ${what}.`, query: WRITE_PARAMETERS, codes: [200, 201] };
  return { ...place, ...shared, method: "put", operationId, body: { type: struct, required: true }, answer: struct };
}

function patching(
  { kind, ...place }: Place,
  operationId: string,
  what: string,
  { struct, schema }: { readonly struct: RuntimeType; readonly schema: Schema },
): Operation {
  return {
    ...place,
    method: "patch",
    marks: { action: "patch", kind },
    operationId,
    summary: `Changes a part of a ${what}.`,
    query: [...WRITE_PARAMETERS, "force"],
    body: { type: known(schema.type(META, "Patch")), required: true },
    answer: struct,
    codes: [200, 201],
  };
}

function known(type: RuntimeType | undefined): RuntimeType {
  if (type === undefined) throw new Error("the schema lacks a type that every request uses");
  return type;
}

function pathOf({ group, version }: GroupVersion): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

const kindOf = ({ group, version, kind }: ServedVersion): GroupVersionKind => ({ group, version, kind });

/** `core_v1`, `rbacAuthorization_v1`. */
function tagOf({ group, version }: GroupVersion, { productSuffix }: OperationNaming): string {
  return `${joined(groupWords(group, productSuffix))}_${version}`;
}

const joined = (words: readonly string[]) => words.map((word, at) => (at === 0 ? word : capitalized(word))).join("");

/** `CoreV1`, `RbacAuthorizationV1`. */
function groupPart({ group, version }: GroupVersion, { productSuffix }: OperationNaming): string {
  return groupWords(group, productSuffix).map(capitalized).join("") + capitalized(version);
}

function groupWords(group: string, suffix: string): readonly string[] {
  if (group === "") return ["core"];
  return (group.endsWith(suffix) ? group.slice(0, -suffix.length) : group).split(/[.-]/);
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
