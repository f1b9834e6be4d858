// Validation of bindings of pods to nodes. Source: pkg/apis/core/validation/validation.go.
import type { coreV1 } from "@orch/schema";
import { validator } from "../../model/rules/rule";

export const bindingErrors = validator<coreV1.Binding>(({ target }, at, report) => {
  const place = at.field("target");
  const { kind = "", name = "" } = target ?? {};
  if (kind !== "" && kind !== "Node") report.notSupported(place.field("kind"), kind, ["Node", "<empty>"]);
  if (name === "") report.required(place.field("name"));
});
