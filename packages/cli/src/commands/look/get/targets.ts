// Targets of `orch get`: single objects, and lists of a resource.
import type { DiscoveredResource } from "@orch/client";
import { isObject, type JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { readManifests } from "../../../resources/manifests";
import { resourceRequests } from "../../../resources/resource-arguments";
import type { Session } from "../../../session/session";

export interface Target {
  readonly type: DiscoveredResource;
  /** undefined: all namespaces, or no namespaces. */
  readonly namespace: string | undefined;
  /** Absent: the list. */
  readonly name?: string;
}

export interface Selection {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
}

/**
 * Returns the targets in the order of the arguments.
 * @param errors takes the errors of single files and documents; absent: the first one is thrown
 * @throws CliError
 */
export async function targetsOf(
  session: Session,
  words: readonly string[],
  selection: Selection,
  errors?: unknown[],
): Promise<readonly Target[]> {
  const { allNamespaces, selector, fieldSelector, filename = [] } = selection;
  const catalog = await session.catalog();
  if (filename.length > 0) {
    if (words.length > 0)
      throw new CliError(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
      );
    return targetsOfFiles(session, filename, selection, errors);
  }
  const requests = await resourceRequests(catalog, words);
  return requests.flatMap(({ type, names }): Target[] => {
    const namespace = type.namespaced && allNamespaces !== true ? session.namespace : undefined;
    if (names.length === 0) return [{ type, namespace }];
    if (selector !== undefined || fieldSelector !== undefined) {
      throw new CliError("name cannot be provided when a selector is specified");
    }
    if (allNamespaces && type.namespaced) {
      throw new CliError("a resource cannot be retrieved by name across all namespaces");
    }
    return names.map((name) => ({ type, namespace, name }));
  });
}

async function targetsOfFiles(
  session: Session,
  paths: readonly string[],
  { selector, fieldSelector, recursive = false }: Selection,
  errors: unknown[] | undefined,
): Promise<readonly Target[]> {
  if (selector !== undefined || fieldSelector !== undefined) {
    throw new CliError("a selector may not be given together with files");
  }
  const targets: Target[] = [];
  for await (const { source, object } of readManifests(paths, session.io, {
    recursive,
    timeoutMs: session.requestTimeoutMs(),
    ...(errors && { onError: (error: CliError) => errors.push(error) }),
  })) {
    try {
      targets.push(await targetOf(session, source, object));
    } catch (error) {
      if (errors === undefined || !(error instanceof CliError)) throw error;
      errors.push(error);
    }
  }
  return targets;
}

async function targetOf(session: Session, source: string, object: JsonObject): Promise<Target> {
  const type = await (await session.catalog()).forKind(String(object["apiVersion"]), String(object["kind"]));
  const { name, namespace } = isObject(object["metadata"]) ? object["metadata"] : {};
  if (typeof name !== "string" || name === "") throw new CliError(`${source}: resource name may not be empty`);
  const where = typeof namespace === "string" && namespace !== "" ? namespace : session.namespace;
  return { type, namespace: type.namespaced ? where : undefined, name };
}
