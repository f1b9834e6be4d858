// Credentials of a controller under its own service account. Tokens are requested when needed, before they expire, and
// when the server rejects one. A missing account is created. Source: kube-controller-manager reference,
// `--use-service-account-credentials`.

import { isTokenOf } from "@orch/auth";
import { builtInTypes, type Client, type Clock, type Credentials } from "@orch/client";
import { isCode } from "@orch/machinery";
import { type authenticationV1, type coreV1, type JsonObject, vocabularyOf } from "@orch/schema";

export interface AccountCredentialsOptions {
  /** Client that may create service accounts and request tokens for them. */
  readonly manager: Client;
  readonly account: string;
  readonly clock?: Clock;
}

/** No token could be obtained. Its cause is not the answer to the request that needed the token. */
export class AccountTokenError extends Error {
  override readonly name = "AccountTokenError";
}

interface Held {
  readonly token: string;
  /** On the clock's elapsed time: the machine's date may be wrong. */
  readonly renewAtMs: number;
  readonly endsAtMs: number;
}

const TOKEN_SECONDS = 3600;
/** Share of the lifetime after which a token is renewed. */
const RENEWED_AFTER = 0.8;
/** Lifetime of a token from a Secret. It does not expire, but the Secret may be replaced. */
const SECRET_TOKEN_MS = 60_000;
/** Pause after a failed renewal while the token is still valid. */
const RETRY_MS = 10_000;

export class AccountCredentials implements Credentials {
  private held: Held | undefined;
  private asking: Promise<Held> | undefined;

  constructor(private readonly options: AccountCredentialsOptions) {}

  /** @throws AccountTokenError */
  async token(): Promise<string> {
    const { held } = this;
    const now = this.clock.elapsed();
    if (held !== undefined && now < held.renewAtMs) return held.token;
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    try {
      this.held = await this.asking;
    } catch (error) {
      if (this.held === undefined || this.held !== held || now >= held.endsAtMs) throw error;
      this.held = { ...held, renewAtMs: Math.min(now + RETRY_MS, held.endsAtMs) };
    }
    return this.held.token;
  }

  async keyPair(): Promise<undefined> {
    return undefined;
  }

  /** Drops a rejected token. A newer token stays: another request may have obtained it meanwhile. */
  rejected(token: string | undefined): void {
    if (this.held?.token === token) this.held = undefined;
  }

  private async ask(): Promise<Held> {
    const { account } = this.options;
    try {
      return (await this.requested()) ?? (await this.kept());
    } catch (cause) {
      throw new AccountTokenError(`cannot get a token of the service account ${account}: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  /** @returns undefined when the server issues no tokens */
  private async requested(): Promise<Held | undefined> {
    const { account } = this.options;
    try {
      return await this.request();
    } catch (error) {
      if (isCode(error, 405)) return undefined;
      if (!isCode(error, 404)) throw error;
    }
    const isNew = await this.make();
    try {
      return await this.request();
    } catch (error) {
      if (isCode(error, 404) && (isNew || (await this.accounts.find(account)) !== undefined)) return undefined;
      throw error;
    }
  }

  private async request(): Promise<Held> {
    const since = this.clock.elapsed();
    const asked = {
      apiVersion: `${vocabularyOf(this.options.manager.vocabulary).groups.authentication}/v1`,
      kind: "TokenRequest",
      spec: { audiences: [], expirationSeconds: TOKEN_SECONDS },
    };
    const { spec, status } = await this.accounts.createSubresource<authenticationV1.TokenRequest>(
      this.options.account,
      "token",
      asked,
    );
    const token = status?.token ?? "";
    if (token === "") throw new Error("the server's answer contains no token");
    const lifeMs = Number(spec?.expirationSeconds ?? TOKEN_SECONDS) * 1000;
    return { token, renewAtMs: since + lifeMs * RENEWED_AFTER, endsAtMs: since + lifeMs };
  }

  /** @returns whether this call created the account */
  private async make(): Promise<boolean> {
    const { account } = this.options;
    try {
      await this.accounts.create({ metadata: { name: account, namespace: this.namespace } });
      return true;
    } catch (error) {
      if (isCode(error, 409)) return false;
      throw error;
    }
  }

  /**
   * Returns the token in a Secret that a controller manager has filled.
   * @throws Error when there is none yet
   */
  private async kept(): Promise<Held> {
    const { manager, account: name } = this.options;
    const vocabulary = vocabularyOf(manager.vocabulary);
    const account = await this.accounts.get(name);
    const fieldSelector = `type=${vocabulary.secretTypes.serviceAccountToken}`;
    const secrets = manager.resource(builtInTypes(manager.vocabulary).secrets).namespace(this.namespace);
    for await (const secret of secrets.all({ fieldSelector })) {
      const token = textOf(secret);
      if (token === "" || !isTokenOf(secret as JsonObject, account as JsonObject, vocabulary)) continue;
      const since = this.clock.elapsed();
      return { token, renewAtMs: since + SECRET_TOKEN_MS, endsAtMs: Number.POSITIVE_INFINITY };
    }
    throw new Error("the server does not issue tokens, and no Secret contains one yet");
  }

  private get accounts() {
    const { manager } = this.options;
    return manager.resource(builtInTypes(manager.vocabulary).serviceAccounts).namespace(this.namespace);
  }

  private get namespace(): string {
    return vocabularyOf(this.options.manager.vocabulary).namespaces.system;
  }

  private get clock(): Clock {
    return this.options.clock ?? this.options.manager.clock;
  }
}

const textOf = ({ data }: coreV1.Secret): string => Buffer.from(data?.["token"] ?? "", "base64").toString();
