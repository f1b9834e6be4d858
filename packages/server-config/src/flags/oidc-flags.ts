// Options of external authentication: OpenID Connect, the token webhook, and the configuration file that replaces many
// options. Source: Kubernetes documentation, "kube-apiserver" and "Authenticating".
import { SIGNATURE_ALGORITHMS } from "@orch/auth";
import { type FlagTable, section } from "@orch/machinery";

export const OIDC_FLAGS = section("Authentication", {
  "oidc-issuer-url": {
    type: "string",
    default: "",
    help: "https address of the OpenID Connect issuer whose ID tokens are taken, as the tokens have it; its discovery document is below it",
  },
  "oidc-client-id": { type: "string", default: "", help: "for whom such tokens have to be issued" },
  "oidc-username-claim": {
    type: "string",
    default: "sub",
    help: "claim that is the user's name; email_verified, where a token has it, has to be true for email",
  },
  "oidc-username-prefix": {
    type: "string",
    default: "",
    help: "put before each such name; empty: <issuer>#, and nothing before email; -: nothing",
  },
  "oidc-groups-claim": {
    type: "string",
    default: "",
    help: "claim that is the user's groups, a text or a list of texts; empty: no groups",
  },
  "oidc-groups-prefix": { type: "string", default: "", help: "put before each such group" },
  "oidc-required-claim": {
    type: "stringArray",
    default: "",
    help: "claim=value that such tokens need to have; may be given several times",
  },
  "oidc-ca-file": {
    type: "string",
    default: "",
    help: "CAs of the issuer's own certificate; read again when it changes; empty: what this machine trusts",
  },
  "oidc-signing-algs": {
    type: "strings",
    default: "RS256",
    oneOf: SIGNATURE_ALGORITHMS,
    help: "algorithms by which such tokens may be signed",
  },
  "authentication-config": {
    type: "string",
    default: "",
    help: "file that takes the place of the options --oidc-...: issuers of tokens, rules and expressions over what they say, and which paths anonymous requests may have; read again when it changes",
  },
  "authentication-token-webhook-config-file": {
    type: "string",
    default: "",
    help: "client configuration file of a webhook that is asked about tokens; read again when it changes",
  },
  "authentication-token-webhook-version": {
    type: "string",
    default: "v1beta1",
    help: "version of the TokenReview that it is sent: v1 or v1beta1",
  },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: "2m0s",
    min: 0,
    help: "how long its answers, good and bad, are remembered; 0: not at all",
  },
}) satisfies FlagTable;
