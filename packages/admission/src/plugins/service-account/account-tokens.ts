// Service account token in a Secret, for releases without bound tokens.
import { objectsAt } from "@orch/apis";
import { isTokenOf } from "@orch/auth";
import { metaOf, StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { AdmissionDependencies } from "../../contract/dependencies";

const SECRETS = { group: "", resource: "secrets" } as const;

export class AccountTokens {
  constructor(private readonly deps: Pick<AdmissionDependencies, "vocabulary" | "objects">) {}

  /**
   * Returns the name of the first secret that the account refers to and that is a token secret of the account.
   * @throws StatusError ServerTimeout (500) while there is none
   */
  async required(account: JsonObject): Promise<string> {
    const { namespace = "", name: accountName = "" } = metaOf(account);
    const { vocabulary, objects } = this.deps;
    for (const reference of objectsAt(account, "secrets")) {
      const name = String(reference["name"] ?? "");
      const at = { namespace, name };
      const secret = (await objects.cached(SECRETS, at)) ?? (await objects.inStore(SECRETS, at));
      if (secret !== undefined && isTokenOf(secret, account, vocabulary)) return name;
    }
    throw new StatusError(
      "ServerTimeout",
      `No API token found for service account ${JSON.stringify(accountName)}, retry after the token is automatically created and added to the service account`,
      { name: "create pod", kind: "serviceaccounts", retryAfterSeconds: 1 },
    );
  }
}
