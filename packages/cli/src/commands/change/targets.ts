// The objects that a command changes: those of files, and those that arguments and selectors choose. Source:
// cli-runtime/pkg/resource/builder.go.
import type { DiscoveredResource, ListOptions, ResourceClient } from "@orch/client";
import { isCode, labelsOf, metaOf, nameOf, namespaceOf, parseLabelSelector, StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import { type ManifestObject, readManifests } from "../../resources/manifests";
import { objectText, resourceRequests } from "../../resources/resource-arguments";
import type { Session } from "../../session/session";
import type { FileOptions, SelectorOptions } from "./options";

export interface Target {
  readonly type: DiscoveredResource;
  /** Undefined for resources without namespaces. */
  readonly namespace: string | undefined;
  /** "" when the server makes the name. */
  readonly name: string;
  /** The object of a file, or the one that was listed; undefined when only the name was given. */
  readonly object: JsonObject | undefined;
  /** File of the object. */
  readonly source: string | undefined;
}

/** Returns the object of a file as a target. @throws CliError for another namespace than that of `--namespace` */
export async function fileTarget(session: Session, { object, source }: ManifestObject): Promise<Target> {
  const catalog = await session.catalog();
  const type = await sourced(source, () => catalog.forKind(String(object["apiVersion"]), String(object["kind"])));
  const own = namespaceOf(object);
  const asked = session.options.namespace;
  if (type.namespaced && own !== "" && asked !== undefined && own !== asked) {
    throw new CliError(
      `the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(asked)}. You must pass '--namespace=${own}' to perform this operation.`,
    );
  }
  const namespace = type.namespaced ? own || session.namespace : undefined;
  return { type, namespace, name: nameOf(object), object: placed(object, namespace), source };
}

/** Returns all objects of the files, in their order. Errors of single objects are collected. */
export async function fileTargets(
  session: Session,
  { filename = [], recursive = false, selector }: FileOptions & Pick<SelectorOptions, "selector">,
): Promise<Chosen> {
  const targets: Target[] = [];
  const errors: unknown[] = [];
  const matches = selector === undefined ? undefined : selectorOf(selector);
  for await (const manifest of readManifests(filename, session.io, {
    recursive,
    timeoutMs: session.requestTimeoutMs(),
    onError: (error) => errors.push(error),
  })) {
    if (matches?.(manifest.object) === false) continue;
    try {
      targets.push(await fileTarget(session, manifest));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      errors.push(error);
    }
  }
  return { targets, errors };
}

/** Returns the test of a label selector. @throws CliError */
export function selectorOf(text: string): (object: JsonObject) => boolean {
  const selector = parseLabelSelector(text);
  if (selector === undefined) throw new CliError(`unable to parse the label selector ${JSON.stringify(text)}`);
  return (object) => selector.matches(labelsOf(object));
}

async function sourced<T>(source: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(`unable to recognize ${JSON.stringify(source)}: ${error.message}`, error.exitCode);
  }
}

function placed(object: JsonObject, namespace: string | undefined): JsonObject {
  const { metadata } = object;
  const { namespace: own, ...rest } = (metadata ?? {}) as JsonObject;
  if ((own ?? "") === (namespace ?? "")) return object;
  return { ...object, metadata: namespace === undefined ? rest : { ...rest, namespace } };
}

export interface Chosen {
  readonly targets: readonly Target[];
  /** Errors of single files and documents. Commands tell them after they have changed the other objects. */
  readonly errors: readonly unknown[];
}

/** Returns the objects of files, or those that arguments and selectors choose. */
export async function chosenTargets(
  session: Session,
  words: readonly string[],
  options: FileOptions & SelectorOptions & { readonly part?: "metadata" },
): Promise<Chosen> {
  const { filename, selector, fieldSelector, all = false, allNamespaces = false } = options;
  if (filename !== undefined) {
    if (words.length > 0) throw new CliError("when paths, URLs or - are given with -f, do not name resources as well");
    return fileTargets(session, options);
  }
  if (words.length === 0) throw new CliError("must provide one or more resources by argument or filename");
  const requests = await resourceRequests(await session.catalog(), words);
  const isSelected = selector !== undefined || fieldSelector !== undefined || all;
  // Both together are more often a mistake, which would change too much, than what is meant.
  if (all && (selector !== undefined || fieldSelector !== undefined)) {
    throw new CliError("--all cannot be combined with a selector: the selector alone chooses the objects");
  }
  const targets: Target[] = [];
  for (const { type, names } of requests) {
    const namespace = type.namespaced ? session.namespace : undefined;
    if (names.length > 0) {
      if (isSelected) throw new CliError("name cannot be provided when a selector is specified");
      if (allNamespaces) throw new CliError("a resource cannot be retrieved by name across all namespaces");
      for (const name of names) targets.push({ type, namespace, name, object: undefined, source: undefined });
    } else if (!isSelected) {
      throw new CliError("resource(s) were provided, but no name was specified");
    } else {
      const where = await clientOf(session, { type, namespace: allNamespaces ? undefined : namespace });
      for await (const object of objectsOf(where, { ...options, signal: session.signal }))
        targets.push(listed(type, object));
    }
  }
  return { targets, errors: [] };
}

async function* objectsOf(
  client: ResourceClient,
  { selector, fieldSelector, part, signal }: SelectorOptions & Pick<ListOptions, "part" | "signal">,
): AsyncGenerator<JsonObject, void, undefined> {
  const options: ListOptions = {
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(part === undefined ? {} : { part }),
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    yield* client.all(options);
  } catch (error) {
    // The snapshot has expired between two pages: a list in one request has none.
    if (!isCode(error, 410)) throw error;
    yield* (await client.list(options)).items;
  }
}

/** Tells whether the objects within a namespace, or of a definition, go with the target. */
export const takesOthers = ({ type }: Target): boolean =>
  type.kind === "Namespace" || type.kind === "CustomResourceDefinition";

/** Returns the target of an object of a list. */
export const listed = (type: DiscoveredResource, object: JsonObject): Target => ({
  type,
  namespace: type.namespaced ? namespaceOf(object) : undefined,
  name: nameOf(object),
  object,
  source: undefined,
});

/** Returns the client of a target's resource and namespace. */
export async function clientOf(
  session: Session,
  { type, namespace }: Pick<Target, "type" | "namespace">,
): Promise<ResourceClient> {
  const all = (await session.client()).resource(type);
  return namespace === undefined ? all : all.namespace(namespace);
}

/** Returns the object of the server. */
export async function liveObject(session: Session, target: Target): Promise<JsonObject> {
  return (await clientOf(session, target)).get(target.name, { signal: session.signal });
}

/** Returns the target's name as commands print it. */
export const targetText = ({ type, name }: Target): string => objectText(type, name);

/** Returns the name that the server gave. */
export const namedAs = (target: Target, object: JsonObject): Target => ({ ...target, name: nameOf(object) });

export const uidOf = (object: JsonObject): string => metaOf(object).uid ?? "";

/** Returns the error of the server about an object that does not exist. */
export function absentError({ type, name }: Target): StatusError {
  const resource = type.group === "" ? type.resource : `${type.resource}.${type.group}`;
  return new StatusError("NotFound", `${resource} ${JSON.stringify(name)} not found`);
}
