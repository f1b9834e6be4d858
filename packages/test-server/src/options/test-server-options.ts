// Options of the test server.
import type { VocabularyName } from "@orch/schema";
import type { Manifest } from "../manifests/read-manifests";
import type { LocalWebhook } from "../webhooks/local-webhook";

/** Value of a flag of the API server: durations are numbers of milliseconds. */
export type FlagValue = boolean | number | string | readonly string[] | Readonly<Record<string, boolean | string>>;

export interface TestUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface TestServerOptions {
  /** Names of API groups, labels and system namespaces. Default: `kubernetes`, or that of the recording. */
  readonly vocabulary?: VocabularyName;
  /** Release of Kubernetes to serve, such as `1.34`. Default: that of the recording; 1.36, and 1.23 in the vocabulary `orch`. */
  readonly release?: string;
  /** Custom resource definitions, established when the server is ready. Other objects in folders are left out. */
  readonly crds?: readonly Manifest[];
  /** Objects that exist when the server is ready. */
  readonly manifests?: readonly Manifest[];
  /**
   * Controllers that run in the process: all (true), none (false), or those named, such as `namespace` and
   * `garbagecollector`. Default: all.
   */
  readonly controllers?: boolean | readonly string[];
  /** Admission webhooks that functions of the test answer. */
  readonly webhooks?: readonly LocalWebhook[];
  /** Users for whom the server has a client and a kubeconfig in `users`. They have no permissions until a role grants them. */
  readonly users?: readonly TestUser[];
  /** Flags of the API server by their names, such as `{ "max-requests-inflight": 1 }`. */
  readonly flags?: Readonly<Record<string, FlagValue>>;
  /** A recording of a server (flag `--record`), whose objects the server has at the start. */
  readonly replay?: string;
  /** The last change of the recording to replay: a revision, or a time in RFC 3339. Default: all. */
  readonly until?: number | string;
  /** Port on 127.0.0.1. Default: any free one. */
  readonly port?: number;
}
