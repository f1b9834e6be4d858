// Messages between test workers and the servers of a pool: JSON over HTTP on this machine.
import type { RecordedRequest } from "../requests/recorded-request";

/** Environment variable in which the global setup of a test runner tells its workers where the pool is. */
export const POOL_VARIABLE = "ORCH_TEST_SERVER_POOL";

/** An HTTP address on this machine, and the token that its requests must carry. */
export interface Place {
  readonly url: string;
  readonly token: string;
}

/** Everything that a worker needs to use its server. */
export interface ServerFacts {
  readonly url: string;
  readonly port: number;
  readonly ca: string;
  readonly kubeconfig: string;
  readonly kubeconfigPath: string;
  readonly admin: { readonly certificate: string; readonly key: string };
  readonly vocabulary: "kubernetes" | "orch";
  readonly users: Readonly<Record<string, UserFacts>>;
}

export interface UserFacts {
  readonly certificate: string;
  readonly key: string;
  readonly kubeconfig: string;
}

/** Requests to the server of a worker, by name: the input and the output. */
export interface PoolCalls {
  readonly facts: { readonly takes: Record<string, never>; readonly gives: ServerFacts };
  readonly reset: { readonly takes: Record<string, never>; readonly gives: Record<string, never> };
  readonly snapshot: {
    readonly takes: Record<string, never>;
    readonly gives: { readonly id: number; readonly objects: number };
  };
  readonly restore: { readonly takes: { readonly id: number }; readonly gives: Record<string, never> };
  readonly requests: {
    readonly takes: Record<string, never>;
    readonly gives: { readonly requests: readonly RecordedRequest[] };
  };
  readonly apply: {
    readonly takes: { readonly manifests: readonly unknown[] };
    readonly gives: { readonly objects: readonly object[] };
  };
  readonly issueClient: {
    readonly takes: { readonly name: string; readonly groups?: readonly string[] };
    readonly gives: UserFacts;
  };
}
