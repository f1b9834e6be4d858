// The rules of assigning a pod to a node. Source: facts, validation/core.md "Binding".
import type { coreV1 } from "@orch/schema";
import { validator } from "../../model/rules/rule";

export const bindingErrors = validator<coreV1.Binding>(({ target }, at, report) => {
  const place = at.field("target");
  const { kind = "", name = "" } = target ?? {};
  if (kind !== "" && kind !== "Node") report.notSupported(place.field("kind"), kind, ["Node", "<empty>"]);
  if (name === "") report.required(place.field("name"));
});
