// Mapping between kinds and resources from the server's discovery documents. They are cached and read again after a
// miss. Source: Kubernetes documentation, "Kubernetes API Concepts" and "The Kubernetes API", "Discovery API".
import { parseApiVersion } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Client } from "../requests/client";
import type { DiscoveredResource, Discovery } from "./discovered-resource";
import { readDiscovery } from "./read-discovery";

export interface ResourceMapperOptions {
  /** Reads the documents, for example from a cache on disk. Default: the server's. */
  readonly read?: () => Promise<Discovery>;
}

/** The server does not serve the kind or resource. */
export class UnknownResourceError extends Error {
  override readonly name = "UnknownResourceError";
}

const KEEP_MS = 6 * 3_600_000;
/** Minimum age of the documents before a miss reads them again. */
const MISS_AGAIN_AFTER_MS = 10_000;

interface Known extends Discovery {
  readonly readAt: number;
}

export class ResourceMapper {
  private known: Known | undefined;
  private reading: Promise<Known> | undefined;
  private readonly readDocuments: () => Promise<Discovery>;

  constructor(
    private readonly client: Client,
    { read = () => readDiscovery(client) }: ResourceMapperOptions = {},
  ) {
    this.readDocuments = read;
  }

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
    return { ...(await this.readDocuments()), readAt };
  }
}

const answersTo = (resource: DiscoveredResource, name: string): boolean =>
  resource.resource === name ||
  resource.singular === name ||
  resource.kind.toLowerCase() === name ||
  resource.shortNames.includes(name);
