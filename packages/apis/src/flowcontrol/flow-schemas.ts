import type { BuiltInResource } from "../model/built-in-resource";
import { flowSchemaColumns } from "./flow-schema-columns";
import { validateFlowControlStatus, validateFlowSchema } from "./flow-schema-validation";

export const flowSchemas = {
  group: "flowcontrol",
  kind: "FlowSchema",
  plural: "flowschemas",
  scope: "Cluster",
  readWhole: true,
  versions: [
    { version: "v1", introduced: "1.29" },
    { version: "v1beta3", introduced: "1.26", deprecated: "1.29", removed: "1.32", replacement: "flowcontrol/v1" },
    { version: "v1beta2", introduced: "1.23", deprecated: "1.26", removed: "1.29", replacement: "flowcontrol/v1beta3" },
    { version: "v1beta1", introduced: "1.20", deprecated: "1.23", removed: "1.26", replacement: "flowcontrol/v1beta2" },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    validate: validateFlowSchema,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateFlowControlStatus } },
  defaults: { fields: { "spec.matchingPrecedence": 1000 } },
  columns: flowSchemaColumns,
} as const satisfies BuiltInResource;
