// Options of authentication. Source: Kubernetes documentation, "kube-apiserver" and "Authenticating".
import { type FlagTable, section } from "@orch/machinery";

export const AUTHENTICATION_FLAGS = section("Authentication", {
  "anonymous-auth": {
    type: "bool",
    default: "true",
    help: "requests without credentials are those of system:anonymous; off with AlwaysAllow",
  },
  "client-ca-file": {
    type: "string",
    default: "",
    help: "CAs of client certificates, whose common name is the user and whose organizations are the groups; read again when it changes",
  },
  "client-revocation-file": {
    type: "string",
    default: "",
    help: "client certificates that count no more: lists of revoked certificates (PEM or DER), and lines of serial numbers or of SHA-256 hashes of public keys; read again when it changes, which closes the connections of whom it names",
  },
  "token-auth-file": {
    type: "string",
    default: "",
    help: "CSV of bearer tokens: token, user, uid, groups; read again when it changes",
  },
  "requestheader-client-ca-file": {
    type: "string",
    default: "",
    help: "CAs of proxies that authenticate users and tell them in headers; read again when it changes; empty: no proxy is believed",
  },
  "requestheader-allowed-names": {
    type: "strings",
    default: "",
    help: "common names of the certificates of such proxies; empty: any",
  },
  "requestheader-username-headers": {
    type: "strings",
    default: "",
    help: "headers of such a proxy that hold the user's name; the first with a value counts",
  },
  "requestheader-uid-headers": {
    type: "strings",
    default: "",
    help: "headers of such a proxy that hold the user's uid; the first with a value counts",
  },
  "requestheader-group-headers": {
    type: "strings",
    default: "",
    help: "headers of such a proxy that hold groups; all values count",
  },
  "requestheader-extra-headers-prefix": {
    type: "strings",
    default: "",
    help: "beginnings of headers of such a proxy that hold more of the user; the rest of the name, percent-decoded, is the key",
  },
}) satisfies FlagTable;
