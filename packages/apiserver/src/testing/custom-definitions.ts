// Custom resource definitions as users write them.

/** A definition of `widgets` in `example.com`. */
export interface DefinitionParts {
  readonly group?: string;
  readonly plural?: string;
  readonly kind?: string;
  readonly scope?: "Namespaced" | "Cluster";
  readonly names?: object;
  readonly versions?: readonly object[];
  readonly spec?: object;
}

export const DEFINITIONS = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
export const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

export function definition({
  group = "example.com",
  plural = "widgets",
  kind = "Widget",
  scope = "Namespaced",
  names = {},
  versions = [version("v1", { storage: true })],
  spec = {},
}: DefinitionParts = {}) {
  return {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind, ...names }, versions, ...spec },
  };
}

export const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: OPEN },
  ...more,
});

/** A schema that accepts any object. */
const OPEN = {
  type: "object",
  properties: {
    spec: { type: "object", "x-orch-preserve-unknown-fields": true },
    status: { type: "object", "x-orch-preserve-unknown-fields": true },
  },
};

export const widget = (name: string, more: object = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  ...more,
});
