// An OpenID Connect provider whose keys and tokens the test controls.
import { join } from "node:path";
import type { Authority } from "./credentials";
import { eventually } from "./eventually";
import { freePort } from "./free-port";
import { ApiClient } from "./https-client";
import { type Program, repository, type Workplace } from "./processes";

export interface TokenParts {
  /** Id of the signing key. Default: the first. */
  readonly kid?: string;
  /** Claims in addition to the default ones or replacing them; null: left out. */
  readonly claims?: object;
  readonly header?: object;
}

export const CLIENT_ID = "orch";

export class OidcProvider {
  private program: Program | undefined;
  private readonly client: ApiClient;
  readonly url: string;

  private constructor(
    private readonly workplace: Workplace,
    private readonly authority: Authority,
    private readonly port: number,
  ) {
    this.url = `https://127.0.0.1:${port}`;
    this.client = new ApiClient(this.url, authority.anonymous());
  }

  /** Makes a provider that is not started. */
  static async make(workplace: Workplace, authority: Authority): Promise<OidcProvider> {
    authority.issue("provider");
    return new OidcProvider(workplace, authority, await freePort());
  }

  async start(): Promise<this> {
    const { cert, key } = this.authority.issue("provider");
    const args = [join(repository, "test-e2e/harness/oidc-provider-program.mjs"), String(this.port), cert, key];
    this.program = this.workplace.start({ name: "provider", program: process.execPath, args });
    await eventually("the provider answers", async () => {
      const answer = await this.client.get("/.well-known/openid-configuration").catch(() => undefined);
      return answer?.status === 200 || undefined;
    });
    return this;
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.program?.kill();
  }

  /** Issues a token for the client that the server trusts. */
  async token({ kid, claims = {}, header = {} }: TokenParts = {}): Promise<string> {
    const asked = { kid, header, claims: { aud: CLIENT_ID, sub: "ann", ...claims } };
    return (await this.ask<{ token: string }>("/test/token", asked)).token;
  }

  /** Publishes a further key. */
  async addKey(kid: string, alg = "RS256"): Promise<void> {
    await this.ask("/test/keys", { kid, alg });
  }

  /** Sets claims of the tokens that the token endpoint issues. Each refresh token is accepted once. */
  async grants(claims: object): Promise<void> {
    await this.ask("/test/granted", { aud: CLIENT_ID, ...claims });
  }

  /** Sets the lifetime of tokens that the token endpoint issues from now on. */
  async setLifetime(seconds: number): Promise<void> {
    await this.ask("/test/lifetime", { seconds });
  }

  /** Changes members of the discovery document. */
  async publishes(members: object): Promise<void> {
    await this.ask("/test/published", members);
  }

  /** Number of requests for each document, of codes that were exchanged, and the refresh tokens that were used and revoked. */
  asked(): Promise<{
    readonly discovery: number;
    readonly keys: number;
    readonly exchanged: number;
    readonly refreshed: readonly string[];
    readonly revoked: readonly string[];
  }> {
    return this.ask("/test/asked", {});
  }

  private async ask<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await this.client.post(path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Answer;
  }
}
