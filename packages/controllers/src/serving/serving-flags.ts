// Options of the program's own port: address, certificate, and access. Source: kube-controller-manager reference.
import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { TLS_VERSIONS } from "@orch/platform";

export const SERVING_FLAGS = {
  ...section("Serving", {
    "bind-address": { type: "ip", default: "0.0.0.0", help: "listening IP address of /healthz and /metrics" },
    "secure-port": {
      type: "int",
      default: "10257",
      min: 0,
      max: 65535,
      help: "HTTPS port of /healthz and /metrics; 0: off",
    },
    "cert-dir": {
      type: "string",
      default: "",
      help: "directory of a self-signed certificate, used without --tls-cert-file; empty: a new certificate is created at each start",
    },
    "tls-cert-file": {
      type: "string",
      default: "",
      help: "file with the serving certificate, followed by intermediates; reloaded when it changes; empty: a self-signed certificate",
    },
    "tls-private-key-file": {
      type: "string",
      default: "",
      help: "file with the key of the serving certificate; reloaded when it changes",
    },
    "tls-sni-cert-key": {
      type: "stringArray",
      default: "",
      help: "certificate,key[:name,name]: additional pair for clients that request these names by SNI; without names, those of the certificate; repeatable",
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
      help: "serves /debug/pprof/ to authorized users: CPU and memory profiles in V8's formats",
    },
  }),
  ...section("Authentication", {
    "authentication-kubeconfig": {
      type: "string",
      default: "",
      help: "client configuration file for token reviews and for reading the cluster's client CAs; empty: no tokens are accepted",
    },
    "authentication-skip-lookup": {
      type: "bool",
      default: "false",
      help: "does not read the client CAs from the cluster; uses only those of the flags",
    },
    "authentication-tolerate-lookup-failure": {
      type: "bool",
      default: "false",
      help: "continues when the client CAs cannot be read from the cluster",
    },
    "authentication-token-webhook-cache-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "time for which the result of a token review is cached",
    },
    "client-ca-file": {
      type: "string",
      default: "",
      help: "file with the CAs of client certificates; without --authorization-kubeconfig, their users may read everything",
    },
    "requestheader-client-ca-file": {
      type: "string",
      default: "",
      help: "file with the CAs of authenticating proxies, which pass users in headers",
    },
    "requestheader-allowed-names": {
      type: "strings",
      default: "",
      help: "allowed common names of the certificates of authenticating proxies; empty: any",
    },
    "requestheader-username-headers": {
      type: "strings",
      default: "x-remote-user",
      help: "headers of an authenticating proxy with the user name",
    },
    "requestheader-group-headers": {
      type: "strings",
      default: "x-remote-group",
      help: "headers of an authenticating proxy with groups",
    },
    "requestheader-extra-headers-prefix": {
      type: "strings",
      default: "x-remote-extra-",
      help: "prefixes of headers of an authenticating proxy with extra user attributes",
    },
  }),
  ...section("Authorization", {
    "authorization-kubeconfig": {
      type: "string",
      default: "",
      help: "client configuration file for access reviews; empty: /metrics is allowed from this machine and for clients with a certificate, other paths for the latter only",
    },
    "authorization-always-allow-paths": {
      type: "strings",
      default: "/healthz,/readyz,/livez",
      help: "paths allowed without authorization; a path that ends with * allows all paths with this prefix",
    },
    "authorization-webhook-cache-authorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "time for which an allowing answer is cached",
    },
    "authorization-webhook-cache-unauthorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "time for which any other answer is cached",
    },
  }),
} as const satisfies FlagTable;

export type ServingConfig = ConfigOf<typeof SERVING_FLAGS>;
