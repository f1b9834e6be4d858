import { type BuiltInResource, validator } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

/** Validation of bindings of pods to nodes. Source: pkg/apis/core/validation/validation.go. */
export const bindingErrors = validator<coreV1.Binding>(({ target }, at, report) => {
  const place = at.field("target");
  const { kind = "", name = "" } = target ?? {};
  if (kind !== "" && kind !== "Node") report.notSupported(place.field("kind"), kind, ["Node", "<empty>"]);
  if (name === "") report.required(place.field("name"));
});

export const bindings = {
  group: "core",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
  virtual: true,
  verbs: ["create"],
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", validate: bindingErrors },
} as const satisfies BuiltInResource;
