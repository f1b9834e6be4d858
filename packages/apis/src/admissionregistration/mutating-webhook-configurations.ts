import type { BuiltInResource } from "@orch/apis-model";
import { reservedNameWarnings } from "./reserved-name-warnings";
import { webhookColumns } from "./webhook-columns";
import { validateNewWebhooks, validateWebhooksUpdate } from "./webhook-validation";

export const mutatingWebhookConfigurations = {
  group: "admissionregistration",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  categories: ["api-extensions"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.16" },
    {
      version: "v1beta1",
      introduced: "1.9",
      deprecated: "1.16",
      removed: "1.22",
      replacement: "admissionregistration/v1",
    },
  ],
  rules: {
    nameFormat: "subdomain",
    anyFinalizer: true,
    warnings: reservedNameWarnings,
    generationFrom: ["webhooks"],
    unconditionalUpdate: false,
    validateCreate: validateNewWebhooks,
    validateUpdate: validateWebhooksUpdate,
    strictFormats: { "webhooks[].namespaceSelector": "selector", "webhooks[].objectSelector": "selector" },
  },
  columns: webhookColumns,
} as const satisfies BuiltInResource;
