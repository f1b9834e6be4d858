// Objects that arguments name: `pods`, `pods web db`, `pod/web deploy/shop`, `pods,services`. Source: kubectl's usage,
// cli-runtime/pkg/resource/builder.go.
import type { DiscoveredResource } from "@orch/client";
import { CliError } from "../process/cli-error";
import type { Catalog } from "./catalog";

/** One resource with the names that were given; no names: all objects that the selectors choose. */
export interface ResourceRequest {
  readonly type: DiscoveredResource;
  readonly names: readonly string[];
}

/**
 * Returns the requests in the order of the arguments. A category, such as `all`, stands for its resources.
 * @throws CliError for unknown resources, and for mixed forms
 */
export async function resourceRequests(
  catalog: Catalog,
  words: readonly string[],
): Promise<readonly ResourceRequest[]> {
  if (words.length === 0) {
    throw new CliError("name a resource, such as pods, pods web or pod/web; orch api-resources lists them");
  }
  return words.some((word) => word.includes("/")) ? slashForm(catalog, words) : wordForm(catalog, words);
}

async function slashForm(catalog: Catalog, words: readonly string[]): Promise<readonly ResourceRequest[]> {
  const requests: { type: DiscoveredResource; names: string[] }[] = [];
  for (const word of words) {
    const [resource = "", name = "", ...rest] = word.split("/");
    if (resource === "" || name === "" || rest.length > 0) {
      throw new CliError(
        `${JSON.stringify(word)}: arguments in resource/name form must have a single resource and name, as all others do`,
      );
    }
    const type = await catalog.forName(resource);
    const last = requests.at(-1);
    if (last !== undefined && isSame(last.type, type)) last.names.push(name);
    else requests.push({ type, names: [name] });
  }
  return requests;
}

async function wordForm(catalog: Catalog, words: readonly string[]): Promise<readonly ResourceRequest[]> {
  const [resources = "", ...names] = words;
  const listed = resources.split(",").filter((each) => each !== "");
  if (listed.length === 0) throw new CliError(`${JSON.stringify(resources)} names no resource`);
  const types: DiscoveredResource[] = [];
  for (const each of listed) {
    for (const type of await typesOf(catalog, each)) {
      if (!types.some((other) => isSame(other, type))) types.push(type);
    }
  }
  return types.map((type) => ({ type, names }));
}

async function typesOf(catalog: Catalog, name: string): Promise<readonly DiscoveredResource[]> {
  const ofCategory = (await catalog.all()).filter(({ categories }) => categories.includes(name));
  if (ofCategory.length === 0) return [await catalog.forName(name)];
  // Only the preferred version of each resource.
  return ofCategory.filter((type, at) => ofCategory.findIndex((each) => isSameKind(each, type)) === at);
}

const isSame = (one: DiscoveredResource, other: DiscoveredResource): boolean =>
  isSameKind(one, other) && one.version === other.version;

const isSameKind = (one: DiscoveredResource, other: DiscoveredResource): boolean =>
  one.group === other.group && one.resource === other.resource;

/** Returns a name as commands print it: `pod/web`, `deployment.apps/shop`. */
export const objectText = ({ kind, group }: DiscoveredResource, name: string): string =>
  `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
