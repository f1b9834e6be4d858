import {
  ageColumn,
  type BuiltInResource,
  type CellObject,
  column,
  nameColumn,
  objectAt,
  type RuleContext,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { apiregistrationV1, JsonObject } from "@orch/schema";
import { validateApiService, validateApiServiceStatus } from "./api-service-validation";

type Registration = apiregistrationV1.APIService;

/** Columns of API services. Source: staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go. */
const apiServiceColumns: readonly TableColumn[] = [
  nameColumn,
  column<Registration>("Service", "Who answers: a service, or this server itself.", ({ spec }) => {
    return spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local";
  }),
  column<Registration>("Available", "Whether it answers, and why not.", availability),
  ageColumn,
];

function availability({ status }: CellObject<Registration>): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True" || !condition.reason) return condition.status ?? "";
  return `${condition.status} (${condition.reason})`;
}

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
