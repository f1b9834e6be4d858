import { builtInTypes } from "@orch/client";
import { defineController } from "../../framework/controller";
import { maintainObjectPerNamespace } from "../../framework/object-per-namespace";

// Source: Kubernetes documentation, "Managing Service Accounts", "ServiceAccount controller".
export const defaultAccountController = defineController({
  name: "serviceaccount",
  alias: "serviceaccount-controller",
  does: "creates the default service account of each namespace",
  // The controller makes one request per namespace, and no pod can be created there before it.
  rateFactor: 10,
  flags: {},
  run: (context, _options, signal) =>
    maintainObjectPerNamespace(
      {
        ...context,
        queue: "serviceaccount",
        type: builtInTypes(context.client.vocabulary).serviceAccounts,
        name: "default",
        make: (namespace) => ({ metadata: { name: "default", namespace } }),
      },
      signal,
    ),
});
