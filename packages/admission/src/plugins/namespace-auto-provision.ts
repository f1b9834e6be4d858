// NamespaceAutoProvision plugin: creates the namespace of a new object when it does not exist. Source:
// plugin/pkg/admission/namespace/autoprovision/admission.go.
import { type AdmissionRequest, isReason } from "@orch/machinery";
import type { NamespaceState, ObjectWriter } from "../contract/dependencies";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { isNamespace, NAMESPACES } from "./namespace-exists";

export const namespaceAutoProvision = definePlugin({
  name: "NamespaceAutoProvision",
  reads: ["namespaces", "writer"],
  make: ({ namespaces, writer }) => ({
    on: [{ operations: ["CREATE"] }],
    mutate(request) {
      if (request.dryRun || request.namespace === "" || isNamespace(request)) return;
      const state = namespaces.get(request.namespace);
      return state instanceof Promise
        ? state.then((found) => provide(request, found, writer))
        : provide(request, state, writer);
    },
  }),
});

function provide(
  request: AdmissionRequest,
  state: NamespaceState | undefined,
  writer: ObjectWriter,
): Promise<void> | undefined {
  return state === undefined ? create(request, writer) : undefined;
}

/** Creates the namespace. @throws StatusError Forbidden (403) when it cannot be created */
async function create(request: AdmissionRequest, writer: ObjectWriter): Promise<void> {
  const { namespace: name } = request;
  try {
    await writer.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  } catch (error) {
    if (isReason(error, "AlreadyExists")) return;
    throw isReason(error, "Forbidden") ? error : forbidden(request, (error as Error).message);
  }
}
