// The authenticated user of a request. Source: "Authenticating" in the Kubernetes documentation.
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
