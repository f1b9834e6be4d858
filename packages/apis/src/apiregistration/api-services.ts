import type { JsonObject } from "@orch/schema";
import type { BuiltInResource, RuleContext } from "../model/built-in-resource";
import { objectAt } from "../values/field-path";
import { apiServiceColumns } from "./api-service-columns";
import { validateApiService, validateApiServiceStatus } from "./api-service-validation";

export const apiServices = {
  group: "apiregistration",
  kind: "APIService",
  plural: "apiservices",
  categories: ["api-extensions"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.10" },
    { version: "v1beta1", introduced: "1.7", deprecated: "1.19", removed: "1.22", replacement: "apiregistration/v1" },
  ],
  rules: {
    nameFormat: "pathSegment",
    anyFinalizer: true,
    initialStatus: {},
    keepOnUpdate: ["status"],
    unconditionalUpdate: false,
    create: markLocal,
    validate: validateApiService,
  },
  subresources: {
    status: {
      keeps: ["spec", "metadata.labels", "metadata.annotations", "metadata.finalizers", "metadata.ownerReferences"],
      validateUpdate: validateApiServiceStatus,
    },
  },
  columns: apiServiceColumns,
} as const satisfies BuiltInResource;

/** Marks an API service without a service reference as available: this server serves it itself. */
function markLocal(service: JsonObject, { request }: RuleContext): void {
  if (objectAt(service, "spec")["service"] != null) return;
  const since = request === undefined ? {} : { lastTransitionTime: request.now };
  const message = "Local APIServices are always available";
  objectAt(service, "status")["conditions"] = [
    { type: "Available", status: "True", ...since, reason: "Local", message },
  ];
}
