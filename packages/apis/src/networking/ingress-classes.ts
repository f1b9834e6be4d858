import type { BuiltInResource } from "../model/built-in-resource";
import { ingressClassColumns } from "./ingress-class-columns";
import { validateIngressClass, validateIngressClassUpdate } from "./ingress-class-validation";

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
