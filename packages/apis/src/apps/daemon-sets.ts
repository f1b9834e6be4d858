import { likePods, podStrictFormats, templateWarnings } from "@orch/apis-core";
import { type BuiltInResource, podFields } from "@orch/apis-model";
import { daemonSetColumns } from "./daemon-set-columns";
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from "./daemon-set-validation";
import { beginTemplates, countTemplates } from "./template-generation";
import { templateGenerationConversion } from "./workload-conversion";

export const daemonSets = {
  group: "apps",
  kind: "DaemonSet",
  plural: "daemonsets",
  shortNames: ["ds"],
  categories: ["all"],
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.9" },
    {
      version: "v1beta2",
      introduced: "1.8",
      deprecated: "1.9",
      removed: "1.16",
      replacement: "apps/v1",
      orphansDependents: true,
    },
    {
      group: "extensions",
      version: "v1beta1",
      defaults: { first: likePods, fields: { "spec.revisionHistoryLimit": 10 } },
      introduced: "1.1",
      deprecated: "1.8",
      removed: "1.16",
      replacement: "apps/v1",
      conversion: templateGenerationConversion,
      orphansDependents: true,
    },
  ],
  defaults: { fields: { "spec.revisionHistoryLimit": 10 } },
  rules: {
    nameFormat: "subdomain",
    declared: true,
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: podFields("spec.template.spec"),
    generationFrom: ["spec"],
    validate: validateDaemonSet,
    validateUpdate: validateDaemonSetUpdate,
    strictFormats: podStrictFormats("spec.template.spec"),
    warnings: templateWarnings(["spec", "template"], { changed: ["spec", "template"] }),
    create: beginTemplates,
    update: countTemplates,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: validateDaemonSetStatus } },
  columns: daemonSetColumns,
} as const satisfies BuiltInResource;
