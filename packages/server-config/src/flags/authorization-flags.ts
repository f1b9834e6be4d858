// Options of authorization. Source: Kubernetes documentation, "kube-apiserver" and "Authorization Overview".
import { AUTHORIZATION_MODES, REVIEW_VERSIONS } from "@orch/auth";
import { type FlagTable, section } from "@orch/machinery";

export const AUTHORIZATION_FLAGS = section("Authorization", {
  "authorization-mode": {
    type: "strings",
    default: "",
    oneOf: AUTHORIZATION_MODES,
    help: "asked in this order until one has an opinion; left out: RBAC, or Node,RBAC with --enable-bootstrap-token-auth",
  },
  "authorization-config": {
    type: "string",
    default: "",
    help: "file that says who is asked, in its order: several webhooks too, each with conditions; in the place of --authorization-mode and --authorization-webhook-…; read again when it changes",
  },
  "authorization-policy-file": {
    type: "string",
    default: "",
    help: "policies of the mode ABAC, a line of JSON each; read again when it changes",
  },
  "authorization-webhook-config-file": {
    type: "string",
    default: "",
    help: "client configuration file of the mode Webhook; read again when it changes",
  },
  "authorization-webhook-version": {
    type: "string",
    default: "v1beta1",
    oneOf: REVIEW_VERSIONS,
    help: "version of the reviews that the webhook is asked with, and answers",
  },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "how long a webhook's yes is kept",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "how long any other answer of a webhook is kept",
  },
}) satisfies FlagTable;
