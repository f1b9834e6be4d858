// A provider of OpenID Connect that runs beside the test, with its keys and tokens in the test's hands.
import { join } from "node:path";
import type { Authority } from "./credentials";
import { eventually } from "./eventually";
import { freePort } from "./free-port";
import { ApiClient } from "./https-client";
import { type Program, repository, type Workplace } from "./processes";

export interface TokenParts {
  /** Of the key that signs; default: the first. */
  readonly kid?: string;
  /** Beside those that every token has, or in their place; null: left out. */
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

  /** Not started yet. */
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

  /** For the client that the server trusts. */
  async token({ kid, claims = {}, header = {} }: TokenParts = {}): Promise<string> {
    const asked = { kid, header, claims: { aud: CLIENT_ID, sub: "ann", ...claims } };
    return (await this.ask<{ token: string }>("/test/token", asked)).token;
  }

  /** From now on a further key is published. */
  async addKey(kid: string, alg = "RS256"): Promise<void> {
    await this.ask("/test/keys", { kid, alg });
  }

  /** How often its documents were asked for. */
  asked(): Promise<{ readonly discovery: number; readonly keys: number }> {
    return this.ask("/test/asked", {});
  }

  private async ask<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await this.client.post(path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Answer;
  }
}
