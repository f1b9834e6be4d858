// Options of external authentication: OpenID Connect, the token webhook, and the configuration file that replaces many
// options. Source: Kubernetes documentation, "kube-apiserver" and "Authenticating".
import { SIGNATURE_ALGORITHMS } from "@orch/auth";
import { type FlagTable, section } from "@orch/machinery";

export const OIDC_FLAGS = section("Authentication", {
  "oidc-issuer-url": {
    type: "string",
    default: "",
    help: "https URL of the OpenID Connect issuer of accepted ID tokens, equal to their claim iss; the discovery document is below it",
  },
  "oidc-client-id": { type: "string", default: "", help: "audience for which ID tokens must be issued" },
  "oidc-username-claim": {
    type: "string",
    default: "sub",
    help: "claim used as the user name; with email, the claim email_verified must be true when the token has it",
  },
  "oidc-username-prefix": {
    type: "string",
    default: "",
    help: "prefix of user names; empty: <issuer>#, and no prefix for email; -: no prefix",
  },
  "oidc-groups-claim": {
    type: "string",
    default: "",
    help: "claim used as the user's groups, a string or a list of strings; empty: no groups",
  },
  "oidc-groups-prefix": { type: "string", default: "", help: "prefix of groups" },
  "oidc-required-claim": {
    type: "stringArray",
    default: "",
    help: "claim=value that ID tokens must have; repeatable",
  },
  "oidc-ca-file": {
    type: "string",
    default: "",
    help: "file with the CAs of the issuer's serving certificate; reloaded when it changes; empty: the CAs that this machine trusts",
  },
  "oidc-signing-algs": {
    type: "strings",
    default: "RS256",
    oneOf: SIGNATURE_ALGORITHMS,
    help: "allowed signing algorithms of ID tokens",
  },
  "authentication-config": {
    type: "string",
    default: "",
    help: "file with an AuthenticationConfiguration, which replaces the flags --oidc-...: token issuers, rules and expressions over their claims, and the paths allowed to anonymous requests; reloaded when it changes",
  },
  "authentication-token-webhook-config-file": {
    type: "string",
    default: "",
    help: "client configuration file of a webhook that authenticates tokens; reloaded when it changes",
  },
  "authentication-token-webhook-version": {
    type: "string",
    default: "v1beta1",
    help: "API version of the TokenReview that the webhook receives: v1 or v1beta1",
  },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: "2m0s",
    min: 0,
    help: "time for which the webhook's answers are cached; 0: not cached",
  },
}) satisfies FlagTable;
