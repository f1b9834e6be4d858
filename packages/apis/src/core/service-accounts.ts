import type { JsonObject } from "@orch/schema";
import type { BuiltInResource } from "../built-in-resource";
import { objectsAt } from "../field-path";

export const serviceAccounts = {
  group: "core",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", create: keepSecretNames, update: keepSecretNames },
  laterSubresources: {
    token: { group: "authentication", version: "v1", kind: "TokenRequest", verbs: ["create"] },
  },
  deleteReturnsObject: true,
} as const satisfies BuiltInResource;

/** Of the references to secrets, only the name has a meaning. */
function keepSecretNames(account: JsonObject): void {
  if (!("secrets" in account)) return;
  account["secrets"] = objectsAt(account, "secrets").map(({ name = "" }) => ({ name }));
}
