// Options of authorization. Source: Kubernetes documentation, "kube-apiserver" and "Authorization Overview".
import { AUTHORIZATION_MODES, REVIEW_VERSIONS } from "@orch/auth";
import { type FlagTable, section } from "@orch/machinery";

export const AUTHORIZATION_FLAGS = section("Authorization", {
  "authorization-mode": {
    type: "strings",
    default: "",
    oneOf: AUTHORIZATION_MODES,
    help: "authorizers, consulted in this order until one has an opinion; unset: RBAC, or Node,RBAC with --enable-bootstrap-token-auth",
  },
  "authorization-config": {
    type: "string",
    default: "",
    help: "file with an ordered list of authorizers, which may include several webhooks, each with match conditions; replaces --authorization-mode and --authorization-webhook-…; reloaded when it changes",
  },
  "authorization-policy-file": {
    type: "string",
    default: "",
    help: "policy file of the mode ABAC, one JSON object per line; reloaded when it changes",
  },
  "authorization-webhook-config-file": {
    type: "string",
    default: "",
    help: "client configuration file of the mode Webhook; reloaded when it changes",
  },
  "authorization-webhook-version": {
    type: "string",
    default: "v1beta1",
    oneOf: REVIEW_VERSIONS,
    help: "API version of the SubjectAccessReview that the webhook receives and returns",
  },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "time for which an allowing answer of the webhook is cached",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "time for which any other answer of the webhook is cached",
  },
}) satisfies FlagTable;
