// Cache of service accounts and the Secrets that keep their tokens, and the work that their changes cause.
import { isTokenOf, tokenHolder } from "@orch/auth";
import { builtInTypes, type Client, type Informer, type InformerFactory, keyOf } from "@orch/client";
import { namespaceOf } from "@orch/machinery";
import { type coreV1, type JsonObject, type Vocabulary, vocabularyOf } from "@orch/schema";

/** An item of a work queue, encoded as text: the names in it contain neither a space nor a second `/`. */
export type Work = string;

export type AccountWork =
  | { readonly kind: "changed"; readonly key: string }
  | { readonly kind: "gone"; readonly key: string; readonly uid: string };

export type SecretWork =
  | { readonly kind: "changed"; readonly key: string }
  /** A deleted Secret with the account that it named. */
  | { readonly kind: "gone"; readonly key: string; readonly account: string; readonly uid: string };

export interface Changes {
  accountChanged(work: Work): void;
  secretChanged(work: Work): void;
}

/** Index of Secrets by `<namespace>/<name>` of their account. */
const BY_ACCOUNT = "account";

export class AccountSecrets {
  readonly vocabulary: Vocabulary;
  private readonly accounts: Informer<coreV1.ServiceAccount>;
  private readonly secrets: Informer<coreV1.Secret>;

  constructor(client: Client, factory: InformerFactory) {
    this.vocabulary = vocabularyOf(client.vocabulary);
    const types = builtInTypes(client.vocabulary);
    this.accounts = factory.informer(types.serviceAccounts);
    const fieldSelector = `type=${this.vocabulary.secretTypes.serviceAccountToken}`;
    this.secrets = factory.informer(types.secrets, { fieldSelector });
    this.secrets.addIndex(BY_ACCOUNT, (secret) => {
      const holder = this.holderOf(secret);
      return holder === undefined ? [] : [`${namespaceOf(secret as JsonObject)}/${holder.name}`];
    });
  }

  follow({ accountChanged, secretChanged }: Changes): void {
    const changed = (account: coreV1.ServiceAccount) => accountChanged(keyOf(account));
    this.accounts.addHandler({
      added: changed,
      updated: (before, after) => {
        changed(after);
        if (before.metadata?.uid !== after.metadata?.uid) accountChanged(goneAccount(before));
      },
      deleted: (account) => accountChanged(goneAccount(account)),
    });
    const look = (secret: coreV1.Secret) => secretChanged(keyOf(secret));
    this.secrets.addHandler({
      added: look,
      updated: (_before, after) => look(after),
      deleted: (secret) => {
        const holder = this.holderOf(secret);
        if (holder !== undefined) secretChanged(`${keyOf(secret)} ${holder.name} ${holder.uid}`);
      },
    });
  }

  account(key: string): coreV1.ServiceAccount | undefined {
    return this.accounts.store.get(key);
  }

  secret(key: string): coreV1.Secret | undefined {
    return this.secrets.store.get(key);
  }

  everySecret(): readonly Work[] {
    return [...this.secrets.store.values()].map(keyOf);
  }

  secretsOf(accountKey: string): readonly coreV1.Secret[] {
    return this.secrets.store.byIndex(BY_ACCOUNT, accountKey);
  }

  holderOf(secret: coreV1.Secret) {
    return tokenHolder(secret as JsonObject, this.vocabulary);
  }

  isTokenOf(secret: coreV1.Secret, account: coreV1.ServiceAccount): boolean {
    return isTokenOf(secret as JsonObject, account as JsonObject, this.vocabulary);
  }
}

const goneAccount = (account: coreV1.ServiceAccount): Work => `${keyOf(account)} ${account.metadata?.uid ?? ""}`;

export function accountWork(work: Work): AccountWork {
  const [key = "", uid] = work.split(" ");
  return uid === undefined ? { kind: "changed", key } : { kind: "gone", key, uid };
}

export function secretWork(work: Work): SecretWork {
  const [key = "", account, uid = ""] = work.split(" ");
  return account === undefined ? { kind: "changed", key } : { kind: "gone", key, account, uid };
}
