import { builtInTypes } from "@orch/client";
import { defineDuty } from "../../manager/duty";
import { keepOneInEachNamespace } from "../../manager/one-in-each-namespace";

// Source: facts, controllers.md "serviceaccount".
export const defaultAccountDuty = defineDuty({
  name: "serviceaccount",
  alias: "serviceaccount-controller",
  does: "gives every namespace its default service account",
  // One request a namespace, before which no pod can be created there.
  rateFactor: 10,
  flags: {},
  run: (context, _options, signal) =>
    keepOneInEachNamespace(
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
