// Options of the API server: those with an effect, and those that are only accepted. Source: Kubernetes documentation,
// "kube-apiserver".

import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { TLS_VERSIONS, WORKERS_MAX } from "@orch/platform";
import { type Vocabulary, vocabularyOf } from "@orch/schema";
import { ETCD_TRANSPORTS } from "@orch/store";
import { ACCEPTED_FLAGS } from "./accepted-flags";
import { ADMISSION_FLAGS } from "./admission-flags";
import { AUDIT_FLAGS } from "./audit-flags";
import { AUTHENTICATION_FLAGS } from "./authentication-flags";
import { AUTHORIZATION_FLAGS } from "./authorization-flags";
import { BACKUP_FLAGS } from "./backup-flags";
import { HISTORY_FLAGS } from "./history-flags";
import { OIDC_FLAGS } from "./oidc-flags";
import { OVERLOAD_FLAGS } from "./overload-flags";
import { RELEASE_FLAGS } from "./release-flags";
import { REPLICA_FLAGS } from "./replica-flags";
import { SERVICE_ACCOUNT_FLAGS } from "./service-account-flags";

const NODE_ADDRESS_TYPES = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"] as const;

const WORKING_FLAGS = {
  ...section("Generic", {
    "advertise-address": {
      type: "ip",
      default: "",
      help: "IP address at which clients reach this server; empty: --bind-address, or the first external address when that is unspecified",
    },
    config: {
      type: "string",
      default: "",
      help: "file with flags in YAML: each key is the name of a flag, lists are lists; flags of the command line win; read at the start",
    },
    "cors-allowed-origins": {
      type: "strings",
      default: "",
      help: "regular expressions for allowed Origin headers of browsers; empty: CORS is off",
    },
    "external-hostname": {
      type: "string",
      default: "",
      help: "host name in links to this server; empty: the advertised address",
    },
    record: {
      type: "string",
      default: "",
      help: "file that receives every change of an object, with the request that made it; replaced at the start; empty: changes are not recorded",
    },
    "record-secrets": {
      type: "bool",
      default: "false",
      help: "record the values of secrets, instead of the text masked; needs --record",
    },
    "goaway-chance": {
      type: "float",
      default: "0",
      min: 0,
      max: 0.02,
      help: "fraction of HTTP/2 requests after which the server sends GOAWAY, so that clients reconnect and spread over replicas",
    },
    "livez-grace-period": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "time after the start in which unfinished start hooks do not fail /livez",
    },
    "keep-alive-timeout": {
      type: "duration",
      default: "2m5s",
      min: 1,
      help: "time after which an idle connection is closed; must be longer than the idle timeout of load balancers and clients",
    },
    "max-connections": {
      type: "int",
      default: "0",
      min: 0,
      help: "maximum number of connections, at most nine tenths of the process's open files (ulimit -n); beyond it, a new connection replaces the least valuable one; 0: 10000",
    },
    "max-connections-per-address": {
      type: "int",
      default: "0",
      min: 0,
      help: "maximum number of connections per client address; 0: no limit, which is required behind a load balancer that does not preserve client addresses",
    },
    "min-request-timeout": {
      type: "int",
      default: "1800",
      min: 0,
      help: "minimum duration in seconds of a watch without timeoutSeconds; it ends after a random time between this and twice this",
    },
    "request-timeout": {
      type: "duration",
      default: "1m0s",
      min: 1,
      help: "maximum duration of a request that is not long-running; the server then answers 504",
    },
    "shutdown-delay-duration": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "time between the failure of /readyz and the close of the listeners",
    },
    "shutdown-send-retry-after": {
      type: "bool",
      default: "false",
      help: "keeps the listener open during shutdown and answers new requests with 429 and Retry-After",
    },
    "shutdown-watch-termination-grace-period": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "time over which the shutdown spreads the end of watches, so that clients do not reconnect at once; 0: ends all at once",
    },
    "strict-transport-security-directives": {
      type: "strings",
      default: "",
      help: "directives of the Strict-Transport-Security header: max-age=N, includeSubDomains, preload",
    },
    workers: {
      type: "string",
      default: "1",
      help: `number of processes that serve the port together to use several cores: 1 to ${WORKERS_MAX}, or auto for one per core; more than 1 requires etcd`,
    },
  }),
  ...RELEASE_FLAGS,
  ...OVERLOAD_FLAGS,
  ...REPLICA_FLAGS,
  ...section("Store", {
    store: {
      type: "string",
      default: "",
      oneOf: ["embedded", "memory", "etcd"],
      help: "kind of store; empty: etcd when --etcd-servers is set, else embedded",
    },
    "data-dir": {
      type: "string",
      default: ".orch",
      help: "directory of the embedded store, of generated certificates and of admin.kubeconfig",
    },
    "etcd-servers": { type: "strings", default: "", help: "etcd endpoints, scheme://host:port" },
    "etcd-prefix": { type: "string", default: "/registry", help: "prefix of all keys" },
    "etcd-cafile": { type: "string", default: "", help: "CA file of etcd" },
    "etcd-certfile": { type: "string", default: "", help: "client certificate file for etcd" },
    "etcd-keyfile": { type: "string", default: "", help: "client key file for etcd" },
    "etcd-servers-overrides": {
      type: "strings",
      default: "",
      help: "group/resource#url;url: a separate etcd for one resource, such as /events#https://host:2379; uses the TLS files of --etcd-cafile",
    },
    "etcd-transport": {
      type: "string",
      default: ETCD_TRANSPORTS[0],
      oneOf: ETCD_TRANSPORTS,
      help: "gRPC transport to etcd: the built-in client, or the library grpc-js",
    },
    "encryption-provider-config": {
      type: "string",
      default: "",
      help: "file with an EncryptionConfiguration: which resources are encrypted in the store, with which keys; empty: none",
    },
    "encryption-provider-config-automatic-reload": {
      type: "bool",
      default: "false",
      help: "reloads the file of --encryption-provider-config when it changes",
    },
    "experimental-encryption-provider-config": {
      type: "string",
      default: "",
      help: "old name",
      deprecated: "use --encryption-provider-config",
    },
    "etcd-compaction-interval": {
      type: "duration",
      default: "5m0s",
      min: 0,
      help: "compaction interval: the store keeps at least this much history; 0: this server does not compact",
    },
    "etcd-count-metric-poll-period": {
      type: "duration",
      default: "1m0s",
      min: 0,
      help: "interval at which stored objects are counted for metrics; 0: never",
    },
    "etcd-db-metric-poll-interval": {
      type: "duration",
      default: "30s",
      min: 0,
      help: "interval at which the store's size is read for metrics; 0: never",
    },
    "etcd-healthcheck-timeout": {
      type: "duration",
      default: "2s",
      min: 1,
      help: "timeout of the store's check in /healthz and /livez",
    },
    "etcd-readycheck-timeout": {
      type: "duration",
      default: "2s",
      min: 1,
      help: "timeout of the store's check in /readyz",
    },
    "event-ttl": {
      type: "duration",
      default: "1h0m0s",
      min: 1,
      help: "time after its last change when an event is deleted",
    },
    "delete-collection-workers": {
      type: "int",
      default: "1",
      min: 1,
      help: "number of parallel deletes of one deletecollection request",
    },
    "enable-garbage-collector": {
      type: "bool",
      default: "true",
      help: "lets deletions set the finalizers orphan and foregroundDeletion for the garbage collector; must equal the flag of the controller manager",
    },
    "storage-migration-rate": {
      type: "float",
      default: "100",
      min: 0.1,
      help: "objects per second that a storage migration (POST /debug/migrate?resource=…) rewrites in the current storage version",
    },
    "large-object-threads": {
      type: "int",
      default: "1",
      min: 0,
      max: 16,
      help: "number of worker threads for objects of thousands of values or of 1.25 MiB and more: they write them and convert them to other formats than JSON; started on demand, about 100 MiB each; 0: the main thread does the work and delays other requests",
    },
  }),
  ...BACKUP_FLAGS,
  ...HISTORY_FLAGS,
  ...section("Secure serving", {
    "bind-address": {
      type: "ip",
      default: "127.0.0.1",
      help: "listening IP address; 0.0.0.0, :: or empty: all interfaces, also the default with --advertise-address, --external-hostname, --tls-cert-file or --tls-sni-cert-key",
    },
    "secure-port": { type: "int", default: "6443", min: 1, max: 65535, help: "HTTPS port" },
    "cert-dir": {
      type: "string",
      default: "",
      help: "directory of generated certificates; empty: pki in --data-dir",
    },
    "tls-cert-file": {
      type: "string",
      default: "",
      help: "file with the serving certificate, followed by intermediates; reloaded when it changes",
    },
    "tls-private-key-file": {
      type: "string",
      default: "",
      help: "file with the key of the serving certificate; reloaded when it changes",
    },
    "tls-sni-cert-key": {
      type: "stringArray",
      default: "",
      help: "certificate,key[:name,name]: additional pair for clients that request these names by SNI; without names, those of the certificate; allows *.example.com; repeatable; reloaded when it changes",
    },
    "tls-min-version": {
      type: "string",
      default: "",
      oneOf: TLS_VERSIONS,
      help: "minimum TLS version; empty: VersionTLS12",
    },
    "tls-cipher-suites": {
      type: "strings",
      default: "",
      help: "IANA names of cipher suites for TLS 1.2 and older; empty: the defaults of Node.js",
    },
    "http2-max-streams-per-connection": {
      type: "int",
      default: "0",
      min: 0,
      help: "maximum number of concurrent streams per HTTP/2 connection; 0: 100",
    },
    "disable-http2-serving": { type: "bool", default: "false", help: "serves HTTP/1.1 only" },
  }),
  ...AUTHENTICATION_FLAGS,
  ...OIDC_FLAGS,
  ...SERVICE_ACCOUNT_FLAGS,
  ...section("Console", {
    console: {
      type: "bool",
      default: "true",
      help: "serves the console at /ui, and redirects browsers from / to it; off: they are redirected to the explorer at /docs",
    },
    "console-oidc-client-id": {
      type: "string",
      default: "",
      help: "client with which the console signs in at the issuer that has it as an audience: equal to --oidc-client-id, or an audience of exactly one issuer of --authentication-config; a public client with the authorization code flow and PKCE; empty: the console does not offer it",
    },
  }),
  ...section("Explorer", {
    "explorer-token": {
      type: "bool",
      default: "true",
      help: "creates a token at each start for the link to the explorer; it authenticates the administrator until the server stops and is valid from this machine only; off with a provided serving certificate, unless --explorer-link-file is set",
    },
    "explorer-link-file": {
      type: "string",
      default: "",
      help: "file that receives the link with the explorer token; empty: explorer.url in --data-dir",
    },
  }),
  ...section("Pods", {
    "allow-privileged": {
      type: "bool",
      default: "false",
      help: "allows privileged containers",
    },
  }),
  ...section("Services", {
    "service-cluster-ip-range": {
      type: "strings",
      default: "10.0.0.0/24",
      help: "CIDR block of service IP addresses; or two, of different families",
    },
    "service-node-port-range": {
      type: "string",
      default: "30000-32767",
      help: "range of node ports of services: first-last, first+count, or one port",
    },
    "endpoint-reconciler-type": {
      type: "string",
      default: "lease",
      oneOf: ["lease", "master-count", "none"],
      help: "reconciler of the endpoints of the API service: lease and master-count list the live replicas; none: not reconciled",
    },
  }),
  ...AUTHORIZATION_FLAGS,
  ...ADMISSION_FLAGS,
  ...section("Node agents", {
    "nodeagent-certificate-authority": {
      type: "string",
      default: "",
      help: "file with the CAs of node agents' serving certificates; empty: these are not verified",
    },
    "nodeagent-client-certificate": {
      type: "string",
      default: "",
      help: "client certificate file for requests to node agents: logs, exec, attach, port forwarding and the node proxy; empty: a certificate of the server's own CA, if it has one",
    },
    "nodeagent-client-key": { type: "string", default: "", help: "file with the key of the client certificate" },
    "nodeagent-preferred-address-types": {
      type: "strings",
      default: "Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP",
      oneOf: NODE_ADDRESS_TYPES,
      help: "address types of a node, in the order of preference, at which its node agent is called",
    },
    "nodeagent-timeout": {
      type: "duration",
      default: "5s",
      min: 1,
      help: "timeout of a connection attempt to a node agent",
    },
  }),
  ...section("Aggregation", {
    "proxy-client-cert-file": {
      type: "string",
      default: "",
      help: "client certificate file that identifies this server to aggregated API servers; they then trust its headers with the user; reloaded when it changes",
    },
    "proxy-client-key-file": { type: "string", default: "", help: "file with the key of the client certificate" },
    "enable-aggregator-routing": {
      type: "bool",
      default: "false",
      help: "calls ready endpoints of aggregated API servers' services in place of the service addresses",
    },
    "aggregator-reject-forwarding-redirect": {
      type: "bool",
      default: "true",
      help: "answers with an error when an aggregated API server redirects; false: passes the redirect to the client",
    },
  }),
  ...AUDIT_FLAGS,
  ...section("Metrics and logs", {
    "show-hidden-metrics-for-version": {
      type: "string",
      default: "",
      help: "shows metrics that are hidden in this release; only the previous minor version is allowed",
    },
    "allow-metric-labels": {
      type: "stringArray",
      default: "",
      help: "allowed values of a metric label, metric,label=value,value; other values are reported as unexpected; repeatable",
    },
    profiling: {
      type: "bool",
      default: "true",
      help: "serves /debug/pprof/ to authorized users: profile?seconds=30 returns a CPU profile of V8; heap a heap snapshot, which contains secrets and stops the server while it is taken; heap?seconds=30 a sampled heap profile",
    },
    "egress-selector-config-file": {
      type: "string",
      default: "",
      help: "file with an EgressSelectorConfiguration: the proxies through which the server connects to the cluster, to the control plane and to etcd; empty: connections are direct",
    },
    "tracing-config-file": {
      type: "string",
      default: "",
      help: "file with the configuration of tracing (APIServerTracing): the endpoint of an OpenTelemetry collector, and the rate of sampling; empty: no tracing",
    },
    "disabled-metrics": { type: "strings", default: "", help: "names of metrics that are not served" },
    v: {
      type: "int",
      default: "0",
      min: 0,
      help: "log verbosity; 3 and higher: every request; 4 and higher: with details",
    },
    "logging-format": {
      type: "string",
      default: "auto",
      oneOf: ["auto", "json", "text"],
      help: "log format: text or json; auto: text on a terminal, else json",
    },
    version: {
      type: "string",
      default: "false",
      oneOf: ["true", "false", "raw"],
      bare: "true",
      help: "prints the version and exits; --version=raw prints all build information",
    },
    help: { type: "bool", default: "false", help: "prints this text" },
  }),
} as const satisfies FlagTable;

/** All options, for parsing and documentation. */
export const SERVER_FLAGS: FlagTable = { ...WORKING_FLAGS, ...ACCEPTED_FLAGS };

export type ServerConfig = ConfigOf<typeof WORKING_FLAGS>;

/** Maps the option names used here to those of a vocabulary, where they differ. */
export const flagSpellings = (vocabulary: Vocabulary): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(flagAliases(vocabularyOf("orch"), vocabulary)).map(([theirs, ours]) => [ours, theirs]),
  );

/** Maps option names of the other vocabulary to the names used here. */
export function flagAliases(orch: Vocabulary, other: Vocabulary): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(orch.flags).map(([id, name]) => [
      (other.flags as Readonly<Record<string, string>>)[id]?.slice(2) ?? name.slice(2),
      name.slice(2),
    ]),
  );
}
