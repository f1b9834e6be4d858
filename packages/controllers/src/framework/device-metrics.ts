// Figures of the controllers for dynamic resource allocation, which the metrics of the program keep. Source:
// pkg/controller/resourceclaim/metrics/metrics.go, pkg/controller/devicetainteviction/metrics/metrics.go,
// pkg/controller/resourcepoolstatusrequest/metrics/metrics.go.

export interface DeviceMetrics {
  /** Records the creation of a claim from a template. */
  claimCreated(of: { readonly succeeded: boolean; readonly adminAccess: boolean }): void;
  /** Sets the function that counts the claims at each scrape. */
  countClaims(count: () => Iterable<ClaimCount>): void;
  /** Records the eviction of a pod. @param seconds time since it was due */
  podEvicted(seconds: number): void;
  /** Records the answer to a pool status request. @param seconds duration */
  requestProcessed(driver: string, of: { readonly seconds: number; readonly succeeded: boolean }): void;
}

/** Number of the claims of one class. */
export interface ClaimCount {
  readonly allocated: boolean;
  readonly adminAccess: boolean;
  readonly source: "" | "resource_claim_template" | "extended_resource";
  readonly claims: number;
}
