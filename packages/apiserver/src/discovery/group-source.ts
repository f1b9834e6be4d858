// Where discovery learns of groups: from this server's own routes, and from whoever else serves some, such as a server behind this one.
import type { JsonObject } from "@orch/schema";

export interface GroupSource {
  /** Changes whenever `groupVersions` does: documents are built anew then, those alone that show something else. */
  readonly generation: number;
  /** What there is at the moment; answered at once, from what the source knows. Those that this server serves itself are not shown twice. */
  groupVersions(): readonly ListedGroupVersion[];
}

/** One group version that is answered for elsewhere. The same object for as long as it says the same. */
export interface ListedGroupVersion {
  readonly group: string;
  readonly version: string;
  /** The higher comes first; groups of equal priority by their names. */
  readonly groupPriority: number;
  /** Among the versions of its group; those of equal priority in the order of their names' maturity. */
  readonly versionPriority: number;
  /** As the document of all groups shows them (`APIResourceDiscovery`). Empty where nothing is known. */
  readonly resources: readonly JsonObject[];
  /** `Stale` where its server has not answered lately. */
  readonly freshness: "Current" | "Stale";
}
