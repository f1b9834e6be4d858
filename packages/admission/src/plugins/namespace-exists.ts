// NamespaceExists plugin: refuses writes in a namespace that does not exist, after mutation. Source:
// plugin/pkg/admission/namespace/exists/admission.go.
import { definePlugin } from "../plugin";
import { existing, isNamespace } from "./namespace-of-request";

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
