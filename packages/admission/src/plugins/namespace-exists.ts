// NamespaceExists plugin: refuses writes in a namespace that does not exist, after mutation. Source:
// plugin/pkg/admission/namespace/exists/admission.go.
import { type AdmissionRequest, notFound } from "@orch/machinery";
import type { NamespaceState } from "../contract/dependencies";
import { definePlugin } from "../contract/plugin";

export const namespaceExists = definePlugin({
  name: "NamespaceExists",
  reads: ["namespaces"],
  make: ({ namespaces }) => ({
    on: [{ operations: ["CREATE", "UPDATE", "DELETE"] }],
    validate(request) {
      if (request.namespace === "" || isNamespace(request)) return;
      const state = namespaces.get(request.namespace);
      return state instanceof Promise
        ? state.then((found) => void existing(request, found))
        : void existing(request, state);
    },
  }),
});

export const NAMESPACES = { group: "", resource: "namespaces" } as const;

/** Returns whether the request is about a namespace or one of its subresources. */
export function isNamespace({ definition }: AdmissionRequest): boolean {
  return definition.group === "" && definition.plural === "namespaces";
}

/** Returns the state of the namespace of a request. @throws StatusError NotFound (404) when it does not exist */
export function existing({ namespace }: AdmissionRequest, state: NamespaceState | undefined): NamespaceState {
  if (state === undefined) throw notFound(NAMESPACES, namespace);
  return state;
}
