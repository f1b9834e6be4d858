// Options of tokens that the server issues or stores: service account tokens and bootstrap tokens. Source: Kubernetes
// documentation, "kube-apiserver" and "Authenticating".
import { type FlagTable, section } from "@orch/machinery";

export const SERVICE_ACCOUNT_FLAGS = section("Tokens", {
  "api-audiences": {
    type: "strings",
    default: "",
    help: "names of this server that tokens may be for; empty: the first --service-account-issuer",
  },
  "enable-bootstrap-token-auth": {
    type: "bool",
    default: "false",
    help: "takes the tokens of bootstrap token Secrets in the system namespace",
  },
  "service-account-key-file": {
    type: "stringArray",
    default: "",
    help: "PEM keys, public or private, RSA or ECDSA, that verify service account tokens beside the signing key; read again when it changes; without any: the key of --tls-private-key-file",
  },
  "service-account-signing-key-file": {
    type: "string",
    default: "",
    help: "private key that signs service account tokens; read again when it changes; empty: one that is made at first start and kept with the certificates, unless replicas share the store",
  },
  "service-account-issuer": {
    type: "stringArray",
    default: "",
    help: "who issues service account tokens: the first signs, all are accepted; with a colon it must be a URL; empty: the server's name inside the cluster",
  },
  "service-account-api-audiences": {
    type: "strings",
    default: "",
    help: "old name of --api-audiences",
    deprecated: "use --api-audiences",
  },
  "service-account-jwks-uri": {
    type: "string",
    default: "",
    help: "https URI of the keys that the discovery document names; empty: this server's",
  },
  "service-account-lookup": {
    type: "bool",
    default: "true",
    help: "a service account token that is kept in a Secret must still be in it",
  },
  "service-account-max-token-expiration": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "the longest that a token lives that somebody asks for, at least an hour; 0: no limit",
  },
  "service-account-extend-token-expiration": {
    type: "bool",
    default: "true",
    help: "tokens as admission asks for pods live a year, and are counted when they are used after their hour",
  },
}) satisfies FlagTable;
