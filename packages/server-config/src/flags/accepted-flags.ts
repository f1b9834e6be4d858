// Options that are accepted for compatibility with command lines of other servers. They are parsed, documented and have
// no effect.
import { type AcceptedRow, acceptedFlags, type DeprecatedRow, type FlagRow, section } from "@orch/machinery";

const AUTOMATIC_SIZES = "the watch cache chooses the size by itself";

const ACCEPTED: readonly AcceptedRow[] = [
  [
    "storage-initialization-timeout",
    "duration",
    "1m0s",
    "maximum time until built-in storage is ready",
    "the server reports that it is not ready until its store answers",
  ],
  [
    "storage-media-type",
    "string",
    "",
    "encoding of stored objects; always JSON in this server",
    "objects are stored as JSON",
  ],
  [
    "watch-cache-sizes",
    "strings",
    "",
    "watch cache size per resource; the sizes are automatic in this server",
    AUTOMATIC_SIZES,
  ],
  [
    "lease-reuse-duration-seconds",
    "int",
    "60",
    "time in seconds for which one store lease is shared",
    "the server decides how long a lease is shared",
  ],
  [
    "tls-curve-preferences",
    "strings",
    "",
    "allowed key exchange groups",
    "the TLS library of Node.js chooses the key exchange group",
  ],
  [
    "contention-profiling",
    "bool",
    "false",
    "lock contention profiling; this server has no locks",
    "the server has no locks",
  ],
  [
    "debug-socket-path",
    "string",
    "",
    "local socket that serves profiles without authorization",
    "profiles are served by the secure port only",
  ],
  [
    "allow-metric-labels-manifest",
    "string",
    "",
    "file of allowed metric label values",
    "use --allow-metric-labels in its place",
  ],
  [
    "orch-service-node-port",
    "int",
    "0",
    "node port of the API service",
    "the service of the API server has a cluster address only",
  ],
  ["apiserver-count", "int", "1", "number of replicas", "replicas find each other by their leases"],
  [
    "max-connection-bytes-per-sec",
    "int",
    "0",
    "bandwidth limit of long-running requests",
    "the server does not limit the bandwidth of a connection",
  ],
  [
    "watch-cache",
    "bool",
    "true",
    "serve reads and watches from the watch cache; always on in this server",
    "the server always serves reads and watches from the watch cache",
  ],
  ["permit-address-sharing", "bool", "false", "set SO_REUSEADDR; always set in this server"],
  [
    "permit-port-sharing",
    "bool",
    "false",
    "set SO_REUSEPORT; use --workers to serve one port with several processes",
    "the server does not share its port with other processes; use --workers to serve it with several processes",
  ],
];

/** Source: etcd options of the kube-apiserver reference; other values are refused there, too. */
const STORAGE_BACKEND = {
  type: "string",
  default: "",
  oneOf: ["etcd3"],
  help: "storage backend; --store chooses the kind of store",
  noEffect: true,
} as const;

const GONE = "it has no effect and can be left out";

const DEPRECATED: readonly DeprecatedRow[] = [
  ["master-service-namespace", "string", "default", "namespace of the API service", GONE],
  ["default-watch-cache-size", "int", "100", "size of watch caches", "the sizes are automatic"],
  ["deserialization-cache-size", "int", "0", "size of the deserialization cache", GONE],
  ["insecure-bind-address", "ip", "127.0.0.1", "listening address without TLS", "the server only serves over TLS"],
  ["address", "ip", "127.0.0.1", "listening address without TLS", "the server only serves over TLS"],
  ["audit-webhook-batch-initial-backoff", "duration", "10s", "old name", GONE],
  ["enable-swagger-ui", "bool", "false", "serve a page for the published schema", GONE],
  ["enable-logs-handler", "bool", "true", "serve log files", GONE],
  ["nodeagent-https", "string", "", "connection to node agents", GONE],
  ["nodeagent-port", "string", "", "connection to node agents", GONE],
  ["nodeagent-read-only-port", "string", "", "connection to node agents", GONE],
  ["ssh-user", "string", "", "SSH tunnels to nodes", GONE],
  ["ssh-keyfile", "string", "", "SSH tunnels to nodes", GONE],
  ["target-ram-mb", "string", "", "target memory in MB", GONE],
  ["cloud-provider", "string", "", "cloud provider", GONE],
  ["cloud-config", "string", "", "configuration file of the cloud provider", GONE],
  [
    "cloud-provider-gce-l7lb-src-cidrs",
    "strings",
    "130.211.0.0/22,35.191.0.0/16",
    "address ranges of load balancers",
    GONE,
  ],
];

const shared = acceptedFlags({ accepted: ACCEPTED, deprecated: DEPRECATED });

export const ACCEPTED_FLAGS: Readonly<Record<string, FlagRow>> = {
  ...shared,
  ...section("Accepted without effect", { "storage-backend": STORAGE_BACKEND }),
  "insecure-port": shared["port"] as FlagRow,
};
