// Objects live only in namespaces that exist and take new content, and some namespaces stay for ever.
// Source: access-control, `NamespaceLifecycle`; facts, admission/plugins.md and errors.json "admissionTexts".
import { type AdmissionRequest, StatusError } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { AdmissionPlugin, AdmissionWorld, NamespaceState } from "../plugin";
import { forbidden } from "../refusal";
import { nameOf } from "../request-name";

export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  operations: ["CREATE", "UPDATE", "DELETE"],
  mutate(request, world) {
    if (isNamespace(request)) return keepImmortal(request, world);
    if (request.operation === "DELETE" || request.namespace === "" || isAccessReview(request, world.vocabulary)) return;
    const state = world.namespace(request.namespace);
    if (state instanceof Promise) return state.then((found) => takeContent(request, found));
    return takeContent(request, state);
  },
};

function isNamespace({ definition }: AdmissionRequest): boolean {
  return definition.group === "" && definition.plural === "namespaces";
}

function keepImmortal(request: AdmissionRequest, { vocabulary }: AdmissionWorld): void {
  if (request.operation !== "DELETE") return;
  const { system, public: open } = vocabulary.namespaces;
  if (["default", system, open].includes(nameOf(request)))
    throw forbidden(request, "this namespace may not be deleted");
}

/** Asking about access in a namespace that does not exist is no mistake. */
function isAccessReview({ definition }: AdmissionRequest, { groups }: Vocabulary): boolean {
  return definition.plural === "localsubjectaccessreviews" && definition.group === groups.authorization;
}

function takeContent(request: AdmissionRequest, state: NamespaceState | undefined): void {
  const { namespace, operation } = request;
  if (state === undefined) {
    throw new StatusError("NotFound", `namespaces ${JSON.stringify(namespace)} not found`, {
      name: namespace,
      kind: "namespaces",
    });
  }
  if (operation !== "CREATE" || !state.terminating) return;
  throw forbidden(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}
