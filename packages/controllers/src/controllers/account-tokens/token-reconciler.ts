// One attempt to reconcile an account or a Secret: creates the Secret, fills in the token, and deletes each with the
// other.
// Source: pkg/controller/serviceaccount/tokens_controller.go.
import { randomBytes } from "node:crypto";
import { type SigningKey, secretClaimsJson, signToken } from "@orch/auth";
import { builtInTypes, type Client, keyOf, splitKey } from "@orch/client";
import { generateName, isCode } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import type { FollowedFile } from "../../framework/followed-file";
import { isOfEndingNamespace, retryConflicts } from "../../framework/write-errors";
import { type AccountSecrets, accountWork, secretWork, type Work } from "./account-secrets";

export interface TokenReconcilerDeps {
  readonly client: Client;
  readonly known: AccountSecrets;
  readonly key: FollowedFile<SigningKey>;
  readonly authority: FollowedFile<string | undefined>;
  /** Whether accounts without a Secret get one. */
  readonly makesSecrets: boolean;
}

/** Maximum number of attempts to change an account that other clients change too. */
const CONFLICTS_MAX = 10;

type Account = coreV1.ServiceAccount;
type Secret = coreV1.Secret;

export class TokenReconciler {
  /**
   * Generated names of Secrets by the account's UID. A creation with an unknown outcome is retried under the same name.
   */
  private readonly drawn = new Map<string, string>();

  constructor(private readonly deps: TokenReconcilerDeps) {}

  /** @throws Error when the work should be retried soon */
  async seeToAccount(work: Work): Promise<undefined> {
    const asked = accountWork(work);
    const { known, makesSecrets } = this.deps;
    switch (asked.kind) {
      case "changed": {
        const account = known.account(asked.key);
        if (account !== undefined && makesSecrets) await this.giveSecret(account);
        return;
      }
      case "gone": {
        const { namespace, name } = splitKey(asked.key);
        const gone = { metadata: { namespace, name, uid: asked.uid } };
        this.drawn.delete(asked.uid);
        for (const secret of known.secretsOf(asked.key)) {
          if (known.isTokenOf(secret, gone)) await this.orphaned(secret);
        }
      }
    }
  }

  /** @throws Error when the work should be retried soon */
  async seeToSecret(work: Work): Promise<undefined> {
    const asked = secretWork(work);
    switch (asked.kind) {
      case "changed": {
        const secret = this.deps.known.secret(asked.key);
        if (secret !== undefined) await this.keepSecret(secret);
        return;
      }
      case "gone":
        await this.dropReference(asked);
    }
  }

  private async giveSecret(account: Account): Promise<void> {
    if (await this.hasSecret(account)) return;
    const { namespace, name } = splitKey(keyOf(account));
    const current = await this.accounts(namespace).find(name);
    // The watch reports a change since then soon.
    if (current === undefined || current.metadata?.resourceVersion !== account.metadata?.resourceVersion) return;
    const secret = this.unreferenced(current) ?? (await this.makeSecret(current));
    if (secret !== undefined && !(await this.refer(current, secret))) await this.remove(secret);
    this.drawn.delete(uidOf(current));
  }

  private async hasSecret(account: Account): Promise<boolean> {
    const { known } = this.deps;
    const { namespace } = splitKey(keyOf(account));
    for (const { name } of account.secrets ?? []) {
      if (name === undefined) continue;
      const secret = known.secret(`${namespace}/${name}`) ?? (await this.secrets(namespace).find(name));
      if (secret !== undefined && known.isTokenOf(secret, account)) return true;
    }
    return false;
  }

  /** Returns a Secret that was created for the account but is not listed in it, because its creator was interrupted. */
  private unreferenced(account: Account): Secret | undefined {
    const { known } = this.deps;
    return known.secretsOf(keyOf(account)).find((secret) => {
      const { name = "" } = secret.metadata ?? {};
      const isMade = name.slice(0, -SUFFIX_CHARACTERS) === madeFor(account).slice(0, BASE_MAX_CHARACTERS);
      return isMade && known.isTokenOf(secret, account);
    });
  }

  /** @returns undefined when the namespace accepts no Secret */
  private async makeSecret(account: Account): Promise<Secret | undefined> {
    const { namespace } = splitKey(keyOf(account));
    const name = this.drawn.get(uidOf(account)) ?? generateName(madeFor(account), randomBytes);
    this.drawn.set(uidOf(account), name);
    const { secretTypes } = this.deps.known.vocabulary;
    const empty: Secret = { metadata: { name, namespace }, type: secretTypes.serviceAccountToken };
    try {
      return await this.secrets(namespace).create(await this.filled(empty, account));
    } catch (error) {
      if (isOfEndingNamespace(error) || isCode(error, 404)) return undefined;
      if (!isCode(error, 409)) throw error;
      const found = await this.secrets(namespace).find(name);
      if (found !== undefined && this.deps.known.isTokenOf(found, account)) return found;
      this.drawn.delete(uidOf(account)); // another owner uses the name
      throw error;
    }
  }

  /**
   * Adds a Secret to the account's list.
   * @returns whether the account lists it now; false when the account has another Secret by now, or was recreated
   */
  private async refer(account: Account, { metadata = {} }: Secret): Promise<boolean> {
    const { namespace, name } = splitKey(keyOf(account));
    let current: Account | undefined = account;
    try {
      return await retryConflicts(async () => {
        const seen: Account | undefined = current ?? (await this.accounts(namespace).find(name));
        const isAnew = current === undefined;
        current = undefined;
        if (seen?.metadata?.uid !== account.metadata?.uid) return false;
        const before = seen?.secrets ?? [];
        if (before.some((each) => each.name === metadata.name)) return true;
        if (isAnew && (await this.hasSecret(seen as Account))) return false;
        const secrets = [...before, { name: metadata.name ?? "" }];
        await this.accounts(namespace).update({ ...(seen as Account), secrets });
        return true;
      }, CONFLICTS_MAX);
    } catch (error) {
      if (isCode(error, 404, 409)) return false;
      throw error;
    }
  }

  private async keepSecret(secret: Secret): Promise<void> {
    const { known } = this.deps;
    const holder = known.holderOf(secret);
    if (holder === undefined) return;
    const { namespace } = splitKey(keyOf(secret));
    const cached = known.account(`${namespace}/${holder.name}`);
    const isKnown = cached !== undefined && known.isTokenOf(secret, cached);
    const account = isKnown ? cached : await this.accounts(namespace).find(holder.name);
    if (account === undefined || !known.isTokenOf(secret, account)) await this.remove(secret);
    else await this.fill(secret, account);
  }

  private async fill(secret: Secret, account: Account): Promise<void> {
    if (!this.lacksSomething(secret)) return;
    const { namespace, name } = splitKey(keyOf(secret));
    const current = await this.secrets(namespace).find(name);
    if (current === undefined || current.metadata?.resourceVersion !== secret.metadata?.resourceVersion) return;
    try {
      await this.secrets(namespace).update(await this.filled(current, account));
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error; // the watch reports the change
    }
  }

  private lacksSomething({ data = {} }: Secret): boolean {
    const authority = this.deps.authority.current;
    return !data["token"] || !data["namespace"] || (authority !== undefined && data["ca.crt"] !== base64(authority));
  }

  private async filled(secret: Secret, account: Account): Promise<Secret> {
    const { key, authority, known } = this.deps;
    const { namespace, name } = splitKey(keyOf(secret));
    const { name: accountName = "", uid = "" } = account.metadata ?? {};
    const { annotations } = known.vocabulary;
    const claims = { namespace, account: { name: accountName, uid }, secretName: name };
    const token = secret.data?.["token"];
    const pem = authority.current;
    return {
      ...secret,
      metadata: {
        ...secret.metadata,
        annotations: {
          ...secret.metadata?.annotations,
          [annotations.serviceAccountName]: accountName,
          [annotations.serviceAccountUid]: uid,
        },
      },
      data: {
        ...secret.data,
        token: token || base64(await signToken(secretClaimsJson(claims, known.vocabulary), key.current)),
        namespace: secret.data?.["namespace"] || base64(namespace),
        ...(pem !== undefined && { "ca.crt": base64(pem) }),
      },
    };
  }

  /** Deletes a Secret whose account is gone, unless it may belong to another account of that name. */
  private async orphaned(secret: Secret): Promise<void> {
    const { known } = this.deps;
    const { namespace } = splitKey(keyOf(secret));
    const account = await this.accounts(namespace).find(known.holderOf(secret)?.name ?? "");
    if (account === undefined || !known.isTokenOf(secret, account)) await this.remove(secret);
  }

  private async dropReference({ key, account, uid }: { key: string; account: string; uid: string }): Promise<void> {
    const { namespace, name } = splitKey(key);
    await retryConflicts(async () => {
      const current = await this.accounts(namespace).find(account);
      if (current === undefined || (uid !== "" && current.metadata?.uid !== uid)) return;
      const secrets = (current.secrets ?? []).filter((each) => each.name !== name);
      if (secrets.length === (current.secrets ?? []).length) return;
      if ((await this.secrets(namespace).find(name)) !== undefined) return; // the Secret was recreated
      await this.accounts(namespace).update({ ...current, secrets });
    }, CONFLICTS_MAX);
  }

  private async remove({ metadata = {} }: Secret): Promise<void> {
    const { namespace = "", name = "", uid } = metadata;
    try {
      await this.secrets(namespace).delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
    }
  }

  private accounts(namespace: string) {
    const { client } = this.deps;
    return client.resource(builtInTypes(client.vocabulary).serviceAccounts).namespace(namespace);
  }

  private secrets(namespace: string) {
    const { client } = this.deps;
    return client.resource(builtInTypes(client.vocabulary).secrets).namespace(namespace);
  }
}

/** Length of a generated name's suffix, and of its base, which is truncated. */
const SUFFIX_CHARACTERS = 5;
const BASE_MAX_CHARACTERS = 58;

const uidOf = ({ metadata = {} }: Account): string => metadata.uid ?? "";

const madeFor = ({ metadata = {} }: Account): string => `${metadata.name}-token-`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
