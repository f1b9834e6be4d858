// Options that are accepted for compatibility with command lines of other servers. They are parsed, documented and have
// no effect.
import { type AcceptedRow, acceptedFlags, type DeprecatedRow, type FlagRow } from "@orch/machinery";

const NO_PEERS = "requests for versions that this server does not serve are not passed to other replicas";

const ACCEPTED: readonly AcceptedRow[] = [
  ["storage-initialization-timeout", "duration", "1m0s", "how long built-in storage may take to be ready"],
  ["emulated-version", "strings", "", "behave like this earlier release"],
  ["min-compatibility-version", "strings", "", "oldest control plane to stay compatible with"],
  ["storage-backend", "string", "", "kind of store; only etcd3 is known"],
  ["storage-media-type", "string", "", "encoding of stored objects; always JSON here"],
  ["watch-cache-sizes", "strings", "", "cache sizes by resource; sizes are automatic here"],
  ["lease-reuse-duration-seconds", "int", "60", "how long one store lease is shared"],
  ["tls-curve-preferences", "strings", "", "allowed key exchange groups"],
  ["contention-profiling", "bool", "false", "profiling of locks; there are none here"],
  ["debug-socket-path", "string", "", "unprotected profiling on a local socket"],
  [
    "service-account-signing-endpoint",
    "string",
    "",
    "local socket of an external signer",
    "tokens of service accounts are signed with --service-account-signing-key-file, or with a key of the server's own",
  ],
  [
    "egress-selector-config-file",
    "string",
    "",
    "proxies for calls out of the server",
    "nodes, webhooks, extension servers and etcd are called without a proxy",
  ],
  ["allow-metric-labels-manifest", "string", "", "file of allowed metric label values"],
  ["tracing-config-file", "string", "", "where spans are sent", "no spans are sent"],
  ["orch-service-node-port", "int", "0", "port on every node for the API service"],
  ["apiserver-count", "int", "1", "number of replicas"],
  ["identity-lease-duration-seconds", "int", "3600", "life of this server's identity lease"],
  ["identity-lease-renew-interval-seconds", "int", "10", "renewal of this server's identity lease"],
  ["max-connection-bytes-per-sec", "int", "0", "throttle of long-running requests"],
  ["peer-ca-file", "string", "", "CA of replicas of another release", NO_PEERS],
  ["peer-advertise-ip", "string", "", "address for replicas of another release", NO_PEERS],
  ["peer-advertise-port", "string", "", "port for replicas of another release", NO_PEERS],
  ["coordinated-leadership-lease-duration", "duration", "15s", "life of a coordinated leader's lease"],
  ["coordinated-leadership-renew-deadline", "duration", "10s", "time for a coordinated leader to renew its lease"],
  ["coordinated-leadership-retry-period", "duration", "2s", "pause between two tries of a coordinated leader"],
  ["emulation-forward-compatible", "bool", "false", "serve newer versions of an emulated release's APIs"],
  ["runtime-config-emulation-forward-compatible", "bool", "false", "let --runtime-config name newer versions"],
  [
    "watch-cache",
    "bool",
    "true",
    "serve reads and watches from memory; always done here",
    "reads and watches are served from memory all the same",
  ],
  ["permit-address-sharing", "bool", "false", "SO_REUSEADDR, which every listener here has"],
  [
    "permit-port-sharing",
    "bool",
    "false",
    "SO_REUSEPORT; --workers serves with several processes at one port",
    "a second process cannot listen at the port; --workers serves with several processes",
  ],
];

const GONE = "it has no effect and can be left out";

const DEPRECATED: readonly DeprecatedRow[] = [
  ["master-service-namespace", "string", "default", "namespace of the API service", GONE],
  ["default-watch-cache-size", "int", "100", "size of watch caches", "sizes are automatic"],
  ["deserialization-cache-size", "int", "0", "size of a cache", GONE],
  ["insecure-bind-address", "ip", "127.0.0.1", "address without TLS", "the server only serves over TLS"],
  ["address", "ip", "127.0.0.1", "address without TLS", "the server only serves over TLS"],
  ["audit-webhook-batch-initial-backoff", "duration", "10s", "old name", GONE],
  ["enable-swagger-ui", "bool", "false", "page for the published schema", GONE],
  ["enable-logs-handler", "bool", "true", "serve log files", GONE],
  ["nodeagent-https", "string", "", "how node agents are called", GONE],
  ["nodeagent-port", "string", "", "how node agents are called", GONE],
  ["nodeagent-read-only-port", "string", "", "how node agents are called", GONE],
  ["ssh-user", "string", "", "tunnels to nodes", GONE],
  ["ssh-keyfile", "string", "", "tunnels to nodes", GONE],
  ["target-ram-mb", "string", "", "memory to aim for", GONE],
  ["cloud-provider", "string", "", "provider of machines", GONE],
  ["cloud-config", "string", "", "configuration of that provider", GONE],
  ["cloud-provider-gce-l7lb-src-cidrs", "strings", "130.211.0.0/22,35.191.0.0/16", "addresses of load balancers", GONE],
];

const shared = acceptedFlags({ accepted: ACCEPTED, deprecated: DEPRECATED });

export const ACCEPTED_FLAGS: Readonly<Record<string, FlagRow>> = {
  ...shared,
  "insecure-port": shared["port"] as FlagRow,
};
