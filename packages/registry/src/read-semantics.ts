// Which data a request may be answered from. Source: resource-api, "Resource version semantics".
export type ReadSemantics =
  | { readonly kind: "mostRecent" }
  | { readonly kind: "any" }
  | { readonly kind: "notOlderThan"; readonly resourceVersion: number }
  | { readonly kind: "exact"; readonly resourceVersion: number };
