// Ends the unused tokens of one namespace: those that were created automatically, which only their accounts list, and
// that no pod uses.
import { isTokenOf, objectKey, podReferences, tokenHolder } from "@orch/auth";
import { builtInTypes, type Client } from "@orch/client";
import { dayOf, isCode } from "@orch/machinery";
import { type coreV1, isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";
import { type TokenTimes, tokenAction } from "./token-action";

type Secret = coreV1.Secret;

export class UnusedTokens {
  constructor(
    private readonly client: Client,
    private readonly vocabulary: Vocabulary,
    private readonly times: () => TokenTimes,
  ) {}

  /** @throws Error when the work should be retried soon */
  async endIn(namespace: string, signal: AbortSignal): Promise<undefined> {
    const { vocabulary, times } = this;
    const fieldSelector = `type=${vocabulary.secretTypes.serviceAccountToken}`;
    let used: ReadonlySet<string> | undefined;
    for await (const secret of this.of(namespace).secrets.all({ fieldSelector, signal })) {
      const fate = tokenAction(secret as JsonObject, times(), vocabulary);
      if (fate === "keep" || !(await this.wasMadeUnasked(namespace, secret))) continue;
      used ??= await this.usedByPods(namespace, signal);
      if (used.has(objectKey("secret", namespace, secret.metadata?.name ?? ""))) continue;
      await this.end(namespace, secret, fate);
    }
  }

  private async wasMadeUnasked(namespace: string, secret: Secret): Promise<boolean> {
    const holder = tokenHolder(secret as JsonObject, this.vocabulary);
    if (holder === undefined) return false;
    const account = await this.of(namespace).accounts.find(holder.name);
    if (account === undefined || !isTokenOf(secret as JsonObject, account as JsonObject, this.vocabulary)) return false;
    return (account.secrets ?? []).some(({ name }) => name === secret.metadata?.name);
  }

  private async usedByPods(namespace: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for await (const pod of this.of(namespace).pods.all({ signal })) {
      const spec = memberOf(pod as JsonObject, "spec");
      const of = { namespace, name: pod.metadata?.name ?? "", ephemeralClaims: false };
      if (isObject(spec)) podReferences(spec, of, (key) => void used.add(key));
    }
    return used;
  }

  private async end(namespace: string, secret: Secret, fate: "markInvalid" | "delete"): Promise<void> {
    const { client, vocabulary } = this;
    const { name = "", uid = "", resourceVersion = "" } = secret.metadata ?? {};
    const { secrets } = this.of(namespace);
    try {
      if (fate === "delete") await secrets.delete(name, { preconditions: { uid, resourceVersion } });
      else {
        const labels = { [vocabulary.labels.legacyTokenInvalidSince]: dayOf(this.times().nowMs) };
        await secrets.patch(name, "merge", { metadata: { uid, resourceVersion, labels } });
      }
      client.log.info("an unused token", { namespace, name, fate });
    } catch (error) {
      // The Secret has changed meanwhile, perhaps by a use. The next pass reads it again.
      if (!isCode(error, 404, 409)) throw error;
    }
  }

  private of(namespace: string) {
    const { client } = this;
    const { secrets, serviceAccounts, pods } = builtInTypes(client.vocabulary);
    return {
      secrets: client.resource(secrets).namespace(namespace),
      accounts: client.resource(serviceAccounts).namespace(namespace),
      pods: client.resource(pods).namespace(namespace),
    };
  }
}
