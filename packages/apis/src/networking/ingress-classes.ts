import { ageColumn, type BuiltInResource, type CellObject, column, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { networkingV1 } from "@orch/schema";
import { validateIngressClass, validateIngressClassUpdate } from "./ingress-class-validation";

type IngressClass = networkingV1.IngressClass;

/** Columns of ingress classes. Source: pkg/printers/internalversion/printers.go. */
const ingressClassColumns: readonly TableColumn[] = [
  nameColumn,
  column<IngressClass>("Controller", "Who sets ingresses of the class up.", ({ spec }) => spec?.controller ?? ""),
  column<IngressClass>("Parameters", "The object that holds settings for the class.", parametersText),
  ageColumn,
];

function parametersText({ spec }: CellObject<IngressClass>): string {
  if (!spec?.parameters) return "<none>";
  const { kind, apiGroup, name } = spec.parameters;
  return apiGroup ? `${kind}.${apiGroup}/${name}` : `${kind}/${name}`;
}

export const ingressClasses = {
  group: "networking",
  kind: "IngressClass",
  plural: "ingressclasses",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.19" },
    { version: "v1beta1", introduced: "1.18", deprecated: "1.19", removed: "1.22", replacement: "networking/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    generationFrom: ["spec"],
    validate: validateIngressClass,
    validateUpdate: validateIngressClassUpdate,
  },
  columns: ingressClassColumns,
} as const satisfies BuiltInResource;
