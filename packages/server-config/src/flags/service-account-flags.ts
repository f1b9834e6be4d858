// Options of tokens that the server issues or stores: service account tokens and bootstrap tokens. Source: Kubernetes
// documentation, "kube-apiserver" and "Authenticating".
import { type FlagTable, section } from "@orch/machinery";

export const SERVICE_ACCOUNT_FLAGS = section("Tokens", {
  "api-audiences": {
    type: "strings",
    default: "",
    help: "audiences of the API server; a service account token must be issued for one of them; empty: the first --service-account-issuer",
  },
  "enable-bootstrap-token-auth": {
    type: "bool",
    default: "false",
    help: "accepts the tokens of bootstrap token Secrets in the system namespace",
  },
  "service-account-key-file": {
    type: "stringArray",
    default: "",
    help: "files with PEM keys, public or private, RSA or ECDSA, that verify service account tokens in addition to the signing key; reloaded when they change; empty: the key of --tls-private-key-file",
  },
  "service-account-signing-key-file": {
    type: "string",
    default: "",
    help: "file with the private key that signs service account tokens; reloaded when it changes; empty: a key that the server creates beside its certificates, unless replicas share the store",
  },
  "service-account-signing-endpoint": {
    type: "string",
    default: "",
    help: "Unix socket of an external signer of service account tokens, which also provides the public keys; @NAME for an abstract socket; requires the feature gate ExternalServiceAccountTokenSigner",
  },
  "service-account-issuer": {
    type: "stringArray",
    default: "",
    help: "issuers of service account tokens: the first is used for new tokens, all are accepted; an issuer with a colon must be a URL; empty: the server's name inside the cluster",
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
    help: "https URI of the public keys in the discovery document; empty: a URI of this server",
  },
  "service-account-lookup": {
    type: "bool",
    default: "true",
    help: "rejects a service account token of a Secret when the Secret no longer contains it",
  },
  "service-account-max-token-expiration": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "maximum lifetime of a requested service account token, at least 1h; 0: no limit",
  },
  "service-account-extend-token-expiration": {
    type: "bool",
    default: "true",
    help: "extends the lifetime of tokens injected into pods to a year; uses after the original hour are counted",
  },
}) satisfies FlagTable;
