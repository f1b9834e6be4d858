// Options of the program's own port: address, certificate, and access. Source: kube-controller-manager reference.
import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { TLS_VERSIONS } from "@orch/platform";

export const SERVING_FLAGS = {
  ...section("Serving", {
    "bind-address": { type: "ip", default: "0.0.0.0", help: "where /healthz and /metrics are served" },
    "secure-port": { type: "int", default: "10257", min: 0, max: 65535, help: "HTTPS port for them; 0: off" },
    "cert-dir": {
      type: "string",
      default: "",
      help: "folder where a self-signed certificate is kept, without --tls-cert-file; empty: it is made at each start",
    },
    "tls-cert-file": {
      type: "string",
      default: "",
      help: "certificate, then intermediates; read again when it changes; empty: a self-signed one",
    },
    "tls-private-key-file": { type: "string", default: "", help: "its key; read again when it changes" },
    "tls-sni-cert-key": {
      type: "stringArray",
      default: "",
      help: "certificate,key[:name,name]: another pair for those who ask for these names, or else for its own; repeatable",
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
    profiling: {
      type: "bool",
      default: "true",
      help: "serve /debug/pprof/ to those who may: profiles of processor and memory, in the run time's own form",
    },
  }),
  ...section("Authentication", {
    "authentication-kubeconfig": {
      type: "string",
      default: "",
      help: "client configuration file by which tokens are reviewed, and by which it is learnt whose certificates count; empty: no token counts",
    },
    "authentication-skip-lookup": {
      type: "bool",
      default: "false",
      help: "go by the authorities of the options alone, and not by those that the cluster tells",
    },
    "authentication-tolerate-lookup-failure": {
      type: "bool",
      default: "false",
      help: "go on where the cluster does not tell them",
    },
    "authentication-token-webhook-cache-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "how long what was found of a token stands",
    },
    "client-ca-file": {
      type: "string",
      default: "",
      help: "authority of clients' certificates; without --authorization-kubeconfig they may read everything",
    },
    "requestheader-client-ca-file": {
      type: "string",
      default: "",
      help: "authority of proxies that authenticate users and tell them in headers",
    },
    "requestheader-allowed-names": {
      type: "strings",
      default: "",
      help: "allowed common names of the certificates of authenticating proxies; empty: any",
    },
    "requestheader-username-headers": {
      type: "strings",
      default: "x-remote-user",
      help: "headers of such a proxy with the user's name",
    },
    "requestheader-group-headers": {
      type: "strings",
      default: "x-remote-group",
      help: "headers of such a proxy with groups",
    },
    "requestheader-extra-headers-prefix": {
      type: "strings",
      default: "x-remote-extra-",
      help: "beginnings of headers of such a proxy with more of the user",
    },
  }),
  ...section("Authorization", {
    "authorization-kubeconfig": {
      type: "string",
      default: "",
      help: "client configuration file by which it is asked who may do what; empty: /metrics is for this machine and for clients with a certificate, the rest for the latter",
    },
    "authorization-always-allow-paths": {
      type: "strings",
      default: "/healthz,/readyz,/livez",
      help: "paths for everybody; one that ends in * for all that begin so",
    },
    "authorization-webhook-cache-authorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "how long an answer that allows stands",
    },
    "authorization-webhook-cache-unauthorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "how long any other answer stands",
    },
  }),
} as const satisfies FlagTable;

export type ServingConfig = ConfigOf<typeof SERVING_FLAGS>;
