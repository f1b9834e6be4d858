// A namespace that still holds objects is not deleted: nothing would delete them with it.
import { StatusError } from "@orch/machinery";
import type { AdmissionPlugin } from "../plugin";
import { nameOf } from "../request-name";

/** Not to be chosen by flags: always on, for as long as deleting a namespace does not delete its content. */
export const namespaceNotEmpty: AdmissionPlugin = {
  name: "NamespaceNotEmpty",
  operations: ["DELETE"],
  validate(request, world) {
    const { definition } = request;
    if (definition.group !== "" || definition.plural !== "namespaces") return;
    const name = nameOf(request);
    const empty = world.namespaceIsEmpty(name);
    if (empty instanceof Promise) return empty.then((found) => refuseUnless(found, name));
    return refuseUnless(empty, name);
  },
};

function refuseUnless(empty: boolean, name: string): void {
  if (empty) return;
  const text = "the namespace is not empty: delete the objects in it first";
  throw new StatusError("Conflict", `Operation cannot be fulfilled on namespaces ${JSON.stringify(name)}: ${text}`, {
    name,
    kind: "namespaces",
  });
}
