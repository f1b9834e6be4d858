// Who counts what pod security decides, for the metrics. Source: facts, admission/podsecurity.md "Metrics".

/** Told of each decision. */
export interface PodSecurityObserver {
  evaluated(what: PodSecurityTarget & PodSecurityDecision): void;
  /** Nobody looked. */
  exempted(what: PodSecurityTarget): void;
  /** @param fatal whether the request was refused for it */
  failed(what: PodSecurityTarget & { readonly fatal: boolean }): void;
}

export interface PodSecurityTarget {
  readonly operation: "create" | "update";
  readonly resource: "pod" | "namespace" | "controller";
  readonly subresource: string;
}

export interface PodSecurityDecision {
  readonly decision: "allow" | "deny";
  readonly level: string;
  /** `latest`, `v1.N`, or `future` for one that is newer than the server. */
  readonly version: string;
  readonly mode: "enforce" | "audit" | "warn";
}
