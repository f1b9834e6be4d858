// Options of the API server: those with an effect, and those that are only accepted. Source: Kubernetes documentation,
// "kube-apiserver".

import { DEFAULT_RELEASE, RELEASE_RANGE } from "@orch/apis";
import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { TLS_VERSIONS, WORKERS_MAX } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { ETCD_TRANSPORTS } from "@orch/store";
import { ACCEPTED_FLAGS } from "./accepted-flags";
import { ADMISSION_FLAGS } from "./admission-flags";
import { AUDIT_FLAGS } from "./audit-flags";
import { AUTHENTICATION_FLAGS } from "./authentication-flags";
import { AUTHORIZATION_FLAGS } from "./authorization-flags";
import { gatesText } from "./feature-gates";
import { OIDC_FLAGS } from "./oidc-flags";
import { OVERLOAD_FLAGS } from "./overload-flags";
import { SERVICE_ACCOUNT_FLAGS } from "./service-account-flags";

const NODE_ADDRESS_TYPES = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"] as const;

const WORKING_FLAGS = {
  ...section("Generic", {
    "advertise-address": {
      type: "ip",
      default: "",
      help: "address under which clients find this server; empty: --bind-address, or the first outer address when that is unspecified",
    },
    "cors-allowed-origins": {
      type: "strings",
      default: "",
      help: "regular expressions for the Origin header of browsers; empty turns CORS off",
    },
    "external-hostname": {
      type: "string",
      default: "",
      help: "host name for links to this server; empty: the advertised address",
    },
    "emulated-release": {
      type: "string",
      default: DEFAULT_RELEASE,
      help: `the release of Kubernetes whose API is served: ${RELEASE_RANGE.first} to ${RELEASE_RANGE.last}`,
    },
    "feature-gates": {
      type: "mapStringBool",
      default: "",
      help: `switches features: A=true,B=false; AllAlpha and AllBeta switch a stage; in ${DEFAULT_RELEASE}: ${gatesText(DEFAULT_RELEASE)}`,
    },
    "goaway-chance": {
      type: "float",
      default: "0",
      min: 0,
      max: 0.02,
      help: "share of HTTP/2 requests after which the client is told to connect anew, so that load spreads over replicas",
    },
    "livez-grace-period": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "time after start in which unfinished start hooks do not fail /livez",
    },
    "keep-alive-timeout": {
      type: "duration",
      default: "2m5s",
      min: 1,
      help: "how long a connection stays open without a request; longer than balancers and clients keep theirs",
    },
    "max-connections": {
      type: "int",
      default: "0",
      min: 0,
      help: "connections at once, nine tenths of the process's open files (ulimit -n) at most; beyond it the one that is missed least makes room for a new one; 0: 10000",
    },
    "max-connections-per-address": {
      type: "int",
      default: "0",
      min: 0,
      help: "connections at once from one address; 0: no limit, which is right behind a balancer that passes connections on under its own address",
    },
    "min-request-timeout": {
      type: "int",
      default: "1800",
      min: 0,
      help: "seconds; a watch without timeoutSeconds ends after a random time between this and twice this",
    },
    "request-timeout": {
      type: "duration",
      default: "1m0s",
      min: 1,
      help: "bound of every request that is not long-running; past it the answer is 504",
    },
    "runtime-config": {
      type: "mapStringString",
      default: "",
      help: "switches API versions and resources: group/version[/resource]=true|false, v1 for the core group, api/all, api/ga, api/beta, api/alpha for classes; a bare key means true",
    },
    "shutdown-delay-duration": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "time from /readyz failing to the listeners closing",
    },
    "shutdown-send-retry-after": {
      type: "bool",
      default: "false",
      help: "while stopping, keep the listener and answer new requests 429 with Retry-After",
    },
    "shutdown-watch-termination-grace-period": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "while stopping, watches are ended one after the other over this time, so that their clients do not all come back at once; 0: all at once",
    },
    "strict-transport-security-directives": {
      type: "strings",
      default: "",
      help: "parts of the Strict-Transport-Security header: max-age=N, includeSubDomains, preload",
    },
    vocabulary: {
      type: "string",
      default: "orch",
      oneOf: ["orch", "kubernetes"],
      help: "the names of groups, labels, namespaces and media types; recorded in the store at its first use",
    },
    workers: {
      type: "string",
      default: "1",
      help: `processes that serve together at the one port, so that all cores are used: 1 to ${WORKERS_MAX}, or auto, one for each core; more than 1 need a store that they can share, etcd`,
    },
  }),
  ...OVERLOAD_FLAGS,
  ...section("Store", {
    store: {
      type: "string",
      default: "",
      oneOf: ["embedded", "memory", "etcd"],
      help: "where objects are kept; empty: etcd when --etcd-servers is given, else embedded",
    },
    "data-dir": {
      type: "string",
      default: ".orch",
      help: "folder of the embedded store, of certificates made at first start and of admin.kubeconfig",
    },
    "etcd-servers": { type: "strings", default: "", help: "etcd endpoints, scheme://host:port" },
    "etcd-prefix": { type: "string", default: "/registry", help: "root of every key" },
    "etcd-cafile": { type: "string", default: "", help: "CA of etcd" },
    "etcd-certfile": { type: "string", default: "", help: "client certificate for etcd" },
    "etcd-keyfile": { type: "string", default: "", help: "client key for etcd" },
    "etcd-servers-overrides": {
      type: "strings",
      default: "",
      help: "group/resource#url;url: another etcd that holds one resource, such as /events#https://host:2379, with the TLS files of --etcd-cafile",
    },
    "etcd-transport": {
      type: "string",
      default: ETCD_TRANSPORTS[0],
      oneOf: ETCD_TRANSPORTS,
      help: "what carries calls to etcd: this server's own client, the run time's HTTP/2, or the library grpc-js",
    },
    "encryption-provider-config": {
      type: "string",
      default: "",
      help: "file that says which resources are stored encrypted, and with which keys; empty: none",
    },
    "encryption-provider-config-automatic-reload": {
      type: "bool",
      default: "false",
      help: "read that file again when it changes",
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
      help: "how much history is kept, and how often older history is dropped; 0: never from here",
    },
    "etcd-count-metric-poll-period": {
      type: "duration",
      default: "1m0s",
      min: 0,
      help: "how often objects are counted for metrics; 0: never",
    },
    "etcd-db-metric-poll-interval": {
      type: "duration",
      default: "30s",
      min: 0,
      help: "how often the store's size is asked for metrics; 0: never",
    },
    "etcd-healthcheck-timeout": {
      type: "duration",
      default: "2s",
      min: 1,
      help: "bound of the store's check in /healthz and /livez",
    },
    "etcd-readycheck-timeout": {
      type: "duration",
      default: "2s",
      min: 1,
      help: "bound of the store's check in /readyz",
    },
    "event-ttl": {
      type: "duration",
      default: "1h0m0s",
      min: 1,
      help: "how long an event stays after its last change",
    },
    "delete-collection-workers": {
      type: "int",
      default: "1",
      min: 1,
      help: "parallel deletes of one deletecollection",
    },
    "enable-garbage-collector": {
      type: "bool",
      default: "true",
      help: "deletions that ask for it leave the finalizers orphan and foregroundDeletion for the garbage collector; as the controller manager's option of the same name",
    },
    "storage-migration-rate": {
      type: "float",
      default: "100",
      min: 0.1,
      help: "objects a second that a migration (POST /debug/migrate?resource=…) stores again in their present form",
    },
    "large-object-threads": {
      type: "int",
      default: "1",
      min: 0,
      max: 16,
      help: "threads beside the main one that write objects of thousands of values or 1.25 MiB and more, and show them in other forms than JSON; started when needed, about 100 MiB each; 0: the main one does it, and everybody waits",
    },
  }),
  ...section("Secure serving", {
    "bind-address": {
      type: "ip",
      default: "127.0.0.1",
      help: "listening address; 0.0.0.0, :: or empty: all interfaces, which is also the default with --advertise-address, --external-hostname, --tls-cert-file or --tls-sni-cert-key",
    },
    "secure-port": { type: "int", default: "6443", min: 1, max: 65535, help: "HTTPS port" },
    "cert-dir": {
      type: "string",
      default: "",
      help: "where certificates made at first start are kept; empty: the folder pki of --data-dir",
    },
    "tls-cert-file": {
      type: "string",
      default: "",
      help: "serving certificate, then intermediates; read again when it changes",
    },
    "tls-private-key-file": { type: "string", default: "", help: "serving key; read again when it changes" },
    "tls-sni-cert-key": {
      type: "stringArray",
      default: "",
      help: "certificate,key[:name,name]: another pair for clients that ask for these names, or else for those of the certificate; *.example.com is taken; repeatable; read again when it changes",
    },
    "tls-min-version": {
      type: "string",
      default: "",
      oneOf: TLS_VERSIONS,
      help: "oldest TLS version taken; empty: VersionTLS12",
    },
    "tls-cipher-suites": {
      type: "strings",
      default: "",
      help: "IANA names of the suites for TLS 1.2 and older; empty: the run time's choice",
    },
    "http2-max-streams-per-connection": {
      type: "int",
      default: "0",
      min: 0,
      help: "streams that a client may have open; 0: 100",
    },
    "disable-http2-serving": { type: "bool", default: "false", help: "serve HTTP/1.1 only" },
  }),
  ...AUTHENTICATION_FLAGS,
  ...OIDC_FLAGS,
  ...SERVICE_ACCOUNT_FLAGS,
  ...section("Explorer", {
    "explorer-token": {
      type: "bool",
      default: "true",
      help: "makes at each start a token with which the explorer's link works at once, for the administrator, until the server ends, from this machine alone; off with a serving certificate of one's own, unless --explorer-link-file is given",
    },
    "explorer-link-file": {
      type: "string",
      default: "",
      help: "where the link with that token is written; empty: explorer.url in --data-dir",
    },
  }),
  ...section("Pods", {
    "allow-privileged": {
      type: "bool",
      default: "false",
      help: "takes containers that have all rights of their node",
    },
  }),
  ...section("Services", {
    "service-cluster-ip-range": {
      type: "strings",
      default: "10.0.0.0/24",
      help: "blocks of the addresses that services are given: one, or two of different families",
    },
    "service-node-port-range": {
      type: "string",
      default: "30000-32767",
      help: "ports of nodes that services are given: first-last, first+more, or one",
    },
    "endpoint-reconciler-type": {
      type: "string",
      default: "lease",
      oneOf: ["lease", "master-count", "none"],
      help: "who keeps the endpoints of the API's own service: the replicas that are alive (master-count is the same), or nobody",
    },
  }),
  ...AUTHORIZATION_FLAGS,
  ...ADMISSION_FLAGS,
  ...section("Node agents", {
    "nodeagent-certificate-authority": {
      type: "string",
      default: "",
      help: "CAs of the certificates of node agents; empty: they are not verified",
    },
    "nodeagent-client-certificate": {
      type: "string",
      default: "",
      help: "client certificate for calls of node agents: logs, exec, attach, port forwarding, proxying of nodes; empty: one of the server's own authority, if it has one",
    },
    "nodeagent-client-key": { type: "string", default: "", help: "its key" },
    "nodeagent-preferred-address-types": {
      type: "strings",
      default: "Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP",
      oneOf: NODE_ADDRESS_TYPES,
      help: "by which of a node's addresses its agent is called; the first that the node has",
    },
    "nodeagent-timeout": { type: "duration", default: "5s", min: 1, help: "bound of connecting to a node agent" },
  }),
  ...section("Aggregation", {
    "proxy-client-cert-file": {
      type: "string",
      default: "",
      help: "client certificate by which extension servers know this one, and believe what it says of users; read again when it changes",
    },
    "proxy-client-key-file": { type: "string", default: "", help: "its key" },
    "enable-aggregator-routing": {
      type: "bool",
      default: "false",
      help: "calls endpoints of services that are ready, rather than the addresses of the services",
    },
    "aggregator-reject-forwarding-redirect": {
      type: "bool",
      default: "true",
      help: "redirects of extension servers are errors, and not passed on",
    },
  }),
  ...AUDIT_FLAGS,
  ...section("Metrics and logs", {
    "show-hidden-metrics-for-version": {
      type: "string",
      default: "",
      help: "shows metrics hidden in this release; only the previous minor version is taken",
    },
    "allow-metric-labels": {
      type: "stringArray",
      default: "",
      help: "values that a label of a metric may have, metric,label=value,value; others are served as unexpected; repeatable",
    },
    profiling: {
      type: "bool",
      default: "true",
      help: "serves /debug/pprof/ to those who may: profile?seconds=30 is a CPU profile of V8, heap a heap snapshot, which holds secrets and stops the server while it is made, heap?seconds=30 a sampled heap profile",
    },
    "disabled-metrics": { type: "strings", default: "", help: "names of metrics not to serve" },
    v: { type: "int", default: "0", min: 0, help: "verbosity of the log: from 3 every request, from 4 with details" },
    "logging-format": {
      type: "string",
      default: "auto",
      oneOf: ["auto", "json", "text"],
      help: "form of what is said: text for people, json for programs; auto: text on a terminal, else json",
    },
    version: {
      type: "string",
      default: "false",
      oneOf: ["true", "false", "raw"],
      bare: "true",
      help: "--version prints the version and stops, --version=raw all of it",
    },
    help: { type: "bool", default: "false", help: "this text" },
  }),
} as const satisfies FlagTable;

/** All options, for parsing and documentation. */
export const SERVER_FLAGS: FlagTable = { ...WORKING_FLAGS, ...ACCEPTED_FLAGS };

export type ServerConfig = ConfigOf<typeof WORKING_FLAGS>;

/** Maps option names of the other vocabulary to the names used here. */
export function flagAliases(orch: Vocabulary, other: Vocabulary): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(orch.flags).map(([id, name]) => [
      (other.flags as Readonly<Record<string, string>>)[id]?.slice(2) ?? name.slice(2),
      name.slice(2),
    ]),
  );
}
