// Which resources a server has: kind to resource and back, from its discovery documents, read once and again when something is
// not found. Source: facts, client.md "Client caches"; resource-api, "Path shapes".
import { parseApiVersion } from "@orch/machinery";
import type { JsonObject, metaV1 } from "@orch/schema";
import type { Client } from "../requests/client";
import type { ResourceType } from "../requests/resource-type";

export interface DiscoveredResource extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Such as `status` and `scale`. */
  readonly subresources: readonly string[];
}

/** The server has no such kind or resource. */
export class UnknownResourceError extends Error {
  override readonly name = "UnknownResourceError";
}

const KEEP_MS = 6 * 3_600_000;
/** A miss reads the documents again, but not more often than this. */
const MISS_AGAIN_AFTER_MS = 10_000;

/** What a server has, as far as it could say. */
export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read: their own server may be away. */
  readonly failures: readonly DiscoveryFailure[];
}

export interface DiscoveryFailure {
  readonly groupVersion: string;
  readonly error: Error;
}

interface Known extends Discovery {
  readonly readAt: number;
}

export class ResourceMapper {
  private known: Known | undefined;
  private reading: Promise<Known> | undefined;

  constructor(private readonly client: Client) {}

  /** Every resource, in the order of the server's preference: groups as it lists them, of each the preferred version first. */
  async all(): Promise<readonly DiscoveredResource[]> {
    return (await this.current(KEEP_MS)).resources;
  }

  /** What the server has now, or had at most so long ago. */
  discover(maxAgeMs = 0): Promise<Discovery> {
    return this.current(maxAgeMs);
  }

  /** The resource of an object's `apiVersion` and `kind`. @throws UnknownResourceError */
  forKind(apiVersion: string, kind: string): Promise<DiscoveredResource> {
    const wanted = parseApiVersion(apiVersion);
    return this.find(
      (each) => each.kind === kind && each.group === wanted?.group && each.version === wanted.version,
      `kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    );
  }

  /** The resource of a group's kind in the version the server prefers. @throws UnknownResourceError */
  forGroupKind(group: string, kind: string): Promise<DiscoveredResource> {
    return this.find(
      (each) => each.kind === kind && each.group === group,
      `kind ${JSON.stringify(kind)} in ${JSON.stringify(group)}`,
    );
  }

  /**
   * By any name that people use: plural, singular, short name or kind, alone, with a group (`deployments.apps`), or with a version
   * and a group (`deployments.v1.apps`).
   * @throws UnknownResourceError
   */
  forName(name: string): Promise<DiscoveredResource> {
    const [short = "", ...rest] = name.toLowerCase().split(".");
    const suffix = rest.join(".");
    return this.find(
      (each) =>
        answersTo(each, short) &&
        (suffix === "" || suffix === each.group || suffix === `${each.version}.${each.group}`),
      `resource type ${JSON.stringify(name)}`,
    );
  }

  /** The resource of this object. @throws UnknownResourceError */
  forObject(object: JsonObject): Promise<DiscoveredResource> {
    return this.forKind(String(object["apiVersion"]), String(object["kind"]));
  }

  /** What is known is read again at the next question. */
  invalidate(): void {
    this.known = undefined;
  }

  private async find(matches: (resource: DiscoveredResource) => boolean, what: string): Promise<DiscoveredResource> {
    const found =
      (await this.current(KEEP_MS)).resources.find(matches) ??
      (await this.current(MISS_AGAIN_AFTER_MS)).resources.find(matches);
    if (found === undefined) throw new UnknownResourceError(`the server has no ${what}`);
    return found;
  }

  private async current(maxAgeMs: number): Promise<Known> {
    const { known } = this;
    if (known !== undefined && this.client.clock.elapsed() - known.readAt < maxAgeMs) return known;
    this.reading ??= this.read().finally(() => {
      this.reading = undefined;
    });
    this.known = await this.reading;
    return this.known;
  }

  private async read(): Promise<Known> {
    const readAt = this.client.clock.elapsed();
    const [core, groups] = await Promise.all([
      this.document<metaV1.APIVersions>("/api"),
      this.document<metaV1.APIGroupList>("/apis"),
    ]);
    const versions = [...(core.versions ?? []), ...(groups.groups ?? []).flatMap(preferredFirst)];
    const answers = await Promise.all(versions.map((version) => this.resourcesOf(version)));
    return {
      resources: answers.flatMap((answer) => ("resources" in answer ? answer.resources : [])),
      failures: answers.flatMap((answer) => ("resources" in answer ? [] : [answer])),
      readAt,
    };
  }

  /** A group version that fails is left out; the others are known all the same. */
  private async resourcesOf(
    groupVersion: string,
  ): Promise<{ readonly resources: readonly DiscoveredResource[] } | DiscoveryFailure> {
    const path = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    try {
      return { resources: discovered(await this.document<metaV1.APIResourceList>(path), groupVersion) };
    } catch (error) {
      this.client.log.warn("a group version could not be discovered", { groupVersion, error: String(error) });
      return { groupVersion, error: error as Error };
    }
  }

  private async document<Document>(path: string): Promise<Document> {
    return (await this.client.getJson(path)) as unknown as Document;
  }
}

function preferredFirst({ versions, preferredVersion }: metaV1.APIGroup): string[] {
  const names = (versions ?? []).map(({ groupVersion }) => groupVersion);
  const first = preferredVersion?.groupVersion;
  return first === undefined ? names : [first, ...names.filter((name) => name !== first)];
}

function discovered({ resources }: metaV1.APIResourceList, groupVersion: string): DiscoveredResource[] {
  const { group, version } = parseApiVersion(groupVersion) ?? { group: "", version: groupVersion };
  const all = resources ?? [];
  return all
    .filter(({ name }) => !name.includes("/"))
    .map((each) => ({
      group,
      version,
      resource: each.name,
      kind: each.kind,
      namespaced: each.namespaced,
      singular: each.singularName || each.kind.toLowerCase(),
      shortNames: each.shortNames ?? [],
      categories: each.categories ?? [],
      verbs: each.verbs ?? [],
      subresources: all
        .filter(({ name }) => name.startsWith(`${each.name}/`))
        .map(({ name }) => name.slice(each.name.length + 1)),
    }));
}

const answersTo = (resource: DiscoveredResource, name: string): boolean =>
  resource.resource === name ||
  resource.singular === name ||
  resource.kind.toLowerCase() === name ||
  resource.shortNames.includes(name);
