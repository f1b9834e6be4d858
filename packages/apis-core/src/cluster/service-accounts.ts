import { ageColumn, type BuiltInResource, column, nameColumn, objectsAt } from "@orch/apis-model";
import type { coreV1, JsonObject } from "@orch/schema";
import { fillTokenRequest, TOKEN_REQUEST, tokenRequestErrors } from "./token-request";

export const serviceAccounts = {
  group: "core",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", create: keepSecretNames, update: keepSecretNames },
  actions: {
    token: {
      bodies: [TOKEN_REQUEST],
      answers: TOKEN_REQUEST,
      fill: fillTokenRequest,
      validate: tokenRequestErrors,
      unnamed: true,
    },
  },
  deleteReturnsObject: true,
  columns: [
    nameColumn,
    column<coreV1.ServiceAccount>(
      "Secrets",
      "How many secrets the account's pods may use.",
      ({ secrets }) => secrets?.length ?? 0,
    ),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

/** Keeps only the names of secret references. */
function keepSecretNames(account: JsonObject): void {
  if (!("secrets" in account)) return;
  account["secrets"] = objectsAt(account, "secrets").map(({ name = "" }) => ({ name }));
}
