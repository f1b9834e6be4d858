// Mapping between kinds and resources from the server's discovery documents. They are cached and read again after a
// miss. Source: Kubernetes documentation, "Kubernetes API Concepts" and "The Kubernetes API", "Discovery API".
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

/** The server does not serve the kind or resource. */
export class UnknownResourceError extends Error {
  override readonly name = "UnknownResourceError";
}

const KEEP_MS = 6 * 3_600_000;
/** Minimum age of the documents before a miss reads them again. */
const MISS_AGAIN_AFTER_MS = 10_000;

/** Resources of a server, as far as discovery succeeded. */
export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read: their aggregated API server may be unavailable. */
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

  /**
   * Returns every resource in the server's preferred order: groups as listed, the preferred version of each group
   * first.
   */
  async all(): Promise<readonly DiscoveredResource[]> {
    return (await this.current(KEEP_MS)).resources;
  }

  /** Returns the resources. @param maxAgeMs maximum age of a cached result */
  discover(maxAgeMs = 0): Promise<Discovery> {
    return this.current(maxAgeMs);
  }

  /** Returns the resource of an object's `apiVersion` and `kind`. @throws UnknownResourceError */
  forKind(apiVersion: string, kind: string): Promise<DiscoveredResource> {
    const wanted = parseApiVersion(apiVersion);
    return this.find(
      (each) => each.kind === kind && each.group === wanted?.group && each.version === wanted.version,
      `kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    );
  }

  /** Returns the resource of a kind in the version that the server prefers. @throws UnknownResourceError */
  forGroupKind(group: string, kind: string): Promise<DiscoveredResource> {
    return this.find(
      (each) => each.kind === kind && each.group === group,
      `kind ${JSON.stringify(kind)} in ${JSON.stringify(group)}`,
    );
  }

  /**
   * Finds a resource by plural, singular, short name or kind, alone, with a group (`deployments.apps`), or with a
   * version and a group (`deployments.v1.apps`).
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

  /** Returns the resource of an object. @throws UnknownResourceError */
  forObject(object: JsonObject): Promise<DiscoveredResource> {
    return this.forKind(String(object["apiVersion"]), String(object["kind"]));
  }

  /** Drops the cached documents. */
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

  /** Reads the resources of a group version. A failed group version is left out and does not affect the others. */
  private async resourcesOf(
    groupVersion: string,
  ): Promise<{ readonly resources: readonly DiscoveredResource[] } | DiscoveryFailure> {
    const path = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    try {
      return { resources: discovered(await this.document<metaV1.APIResourceList>(path), groupVersion) };
    } catch (error) {
      this.client.log.warn("cannot discover a group version", { groupVersion, error: String(error) });
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
