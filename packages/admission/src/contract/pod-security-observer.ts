// Observer of pod security decisions, for metrics. Source: KEP-2579, "Pod Security Admission Control", monitoring
// requirements.

/** Called for each decision. */
export interface PodSecurityObserver {
  evaluated(what: PodSecurityTarget & PodSecurityDecision): void;
  /** Called when an exemption skips the evaluation. */
  exempted(what: PodSecurityTarget): void;
  /**
   * Called when the evaluation fails.
   * @param fatal whether the request was refused because of it
   */
  failed(what: PodSecurityTarget & { readonly fatal: boolean }): void;
}

export interface PodSecurityTarget {
  readonly operation: "create" | "update";
  readonly resource: "pod" | "namespace" | "controller";
  readonly subresource: string;
}

interface PodSecurityDecision {
  readonly decision: "allow" | "deny";
  readonly level: string;
  /** `latest`, `v1.N`, or `future` for a version that is newer than the server. */
  readonly version: string;
  readonly mode: "enforce" | "audit" | "warn";
}
