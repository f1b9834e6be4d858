// NamespaceLifecycle plugin: refuses new objects in namespaces that do not exist or are terminating, and the deletion
// of reserved namespaces. Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
import type { AdmissionRequest, Precondition } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { NamespaceReader, NamespaceState } from "../contract/dependencies";
import { definePlugin } from "../contract/plugin";
import { forbidden, nameOf } from "../contract/refusal";
import { existing, isNamespace, NAMESPACES } from "./namespace-exists";

export const namespaceLifecycle = definePlugin({
  name: "NamespaceLifecycle",
  reads: ["vocabulary", "namespaces"],
  make: ({ vocabulary, namespaces }) => ({
    on: [
      { operations: ["CREATE", "UPDATE"] },
      { operations: ["DELETE"], resources: [{ group: "", plural: "namespaces" }] },
    ],
    mutate(request) {
      if (isNamespace(request)) return keepImmortal(request, vocabulary);
      if (request.namespace === "" || isAccessReview(request, vocabulary)) return;
      const state = namespaces.get(request.namespace);
      if (state instanceof Promise) return state.then((found) => takeContent(request, found, namespaces));
      return takeContent(request, state, namespaces);
    },
  }),
});

function keepImmortal(request: AdmissionRequest, vocabulary: Vocabulary): void {
  if (request.operation !== "DELETE") return;
  const { system, public: open } = vocabulary.namespaces;
  if (["default", system, open].includes(nameOf(request)))
    throw forbidden(request, "this namespace may not be deleted");
}

/** Returns whether the request is a LocalSubjectAccessReview, which may name a namespace that does not exist. */
function isAccessReview({ definition }: AdmissionRequest, { groups }: Vocabulary): boolean {
  return definition.plural === "localsubjectaccessreviews" && definition.group === groups.authorization;
}

/**
 * Requires that the namespace accepts the object. Existing objects may change until the end; a terminating namespace
 * accepts no new ones. The precondition checks this again at the write, because the cache may be stale.
 */
function takeContent(request: AdmissionRequest, state: NamespaceState | undefined, reader: NamespaceReader): void {
  const found = existing(request, state);
  if (request.operation === "CREATE") request.preconditions.push(staysOpen(request, found, reader));
}

/** @throws StatusError NotFound (404), Forbidden (403) */
function staysOpen(request: AdmissionRequest, state: NamespaceState, reader: NamespaceReader): Precondition {
  const { namespace } = request;
  if (state.terminating) {
    throw forbidden(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ]);
  }
  return {
    resource: NAMESPACES,
    namespace: "",
    name: namespace,
    revision: state.revision,
    retry: async () => staysOpen(request, existing(request, await reader.inStore(namespace)), reader),
  };
}
