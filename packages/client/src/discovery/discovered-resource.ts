// Resources as the discovery documents of a server describe them.
import type { ResourceType } from "../requests/resource-type";

export interface DiscoveredResource extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Such as `status` and `scale`. */
  readonly subresources: readonly string[];
}

/** Resources of a server, as far as discovery succeeded. */
export interface Discovery {
  /** In the server's preferred order: groups as listed, the preferred version of each group first. */
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read: their aggregated API server may be unavailable. */
  readonly failures: readonly DiscoveryFailure[];
}

export interface DiscoveryFailure {
  readonly groupVersion: string;
  readonly error: Error;
}
