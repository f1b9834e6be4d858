import {
  ageColumn,
  type BuiltInResource,
  column,
  fieldAt,
  nameColumn,
  objectsAt,
  type RuleContext,
  type WarningContext,
} from "@orch/apis-model";
import type { coreV1, JsonObject } from "@orch/schema";
import { fillTokenRequest, TOKEN_REQUEST, tokenRequestErrors } from "./token-request";

export const serviceAccounts = {
  group: "core",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "subdomain",
    create: keepSecretNames,
    update: (account, _old, context) => keepSecretNames(account, context),
    warnings: mountableSecretsWarning,
  },
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

/** Returns the warning about the annotation that restricts secrets, where the stored account does not have it. */
function mountableSecretsWarning(
  account: JsonObject,
  { vocabulary, features, old }: WarningContext,
): readonly string[] {
  const { enforceMountableSecrets: name } = vocabulary.annotations;
  const has = (object: JsonObject) => fieldAt(object, ["metadata", "annotations", name]) !== undefined;
  if (!features.since("1.32") || !has(account) || (old !== undefined && has(old))) return [];
  const advice = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${name}]: ${advice}`];
}

/** Keeps only the names of secret references. */
function keepSecretNames(account: JsonObject, { features }: RuleContext): void {
  if (!("secrets" in account)) return;
  account["secrets"] = objectsAt(account, "secrets").map(({ name = "" }) =>
    name === "" && features.since("1.36") ? {} : { name },
  );
}
