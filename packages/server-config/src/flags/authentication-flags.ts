// Options of authentication. Source: Kubernetes documentation, "kube-apiserver" and "Authenticating".
import { type FlagTable, section } from "@orch/machinery";

export const AUTHENTICATION_FLAGS = section("Authentication", {
  "anonymous-auth": {
    type: "bool",
    default: "true",
    help: "accepts requests without credentials as user system:anonymous; off with the authorization mode AlwaysAllow",
  },
  "client-ca-file": {
    type: "string",
    default: "",
    help: "file with the CAs of client certificates; the common name of a certificate is the user name, its organizations are the groups; reloaded when it changes",
  },
  "client-revocation-file": {
    type: "string",
    default: "",
    help: "file of revoked client certificates: certificate revocation lists (PEM or DER), and lines of serial numbers or SHA-256 hashes of public keys; reloaded when it changes, which closes connections of revoked certificates",
  },
  "token-auth-file": {
    type: "string",
    default: "",
    help: "CSV file of bearer tokens: token, user, uid, groups; reloaded when it changes",
  },
  "requestheader-client-ca-file": {
    type: "string",
    default: "",
    help: "file with the CAs of authenticating proxies, which pass users in headers; reloaded when it changes; empty: no proxy is trusted",
  },
  "requestheader-allowed-names": {
    type: "strings",
    default: "",
    help: "allowed common names of the certificates of authenticating proxies; empty: any",
  },
  "requestheader-username-headers": {
    type: "strings",
    default: "",
    help: "headers of an authenticating proxy with the user name; the first header with a value is used",
  },
  "requestheader-uid-headers": {
    type: "strings",
    default: "",
    help: "headers of an authenticating proxy with the user's uid; the first header with a value is used",
  },
  "requestheader-group-headers": {
    type: "strings",
    default: "",
    help: "headers of an authenticating proxy with groups; all values are used",
  },
  "requestheader-extra-headers-prefix": {
    type: "strings",
    default: "",
    help: "prefixes of headers of an authenticating proxy with extra user attributes; the rest of the header name, percent-decoded, is the key",
  },
}) satisfies FlagTable;
