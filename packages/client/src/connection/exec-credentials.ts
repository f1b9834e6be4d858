// Credentials from an external command, cached until they expire or are rejected. Source: Kubernetes documentation,
// "Authenticating", "client-go credential plugins".
import type { ConnectionSettings, ExecSettings } from "./connection-settings";
import type { CredentialDeps, Credentials, KeyPair } from "./credential-parts";
import { type ExecCredential, runExecCommand } from "./exec-command";

export class ExecCredentials implements Credentials {
  readonly changesAtAnyTime = true;
  private known: ExecCredential | undefined;
  private running: Promise<ExecCredential> | undefined;

  constructor(
    private readonly settings: ExecSettings,
    private readonly connection: ConnectionSettings,
    private readonly deps: CredentialDeps,
  ) {}

  async token(): Promise<string | undefined> {
    return (await this.credential()).token;
  }

  async keyPair(): Promise<KeyPair | undefined> {
    return (await this.credential()).keyPair;
  }

  /** Drops only the rejected token: the credentials may have been refreshed meanwhile. */
  rejected(token: string | undefined): void {
    if (this.known?.token === token) this.known = undefined;
  }

  private async credential(): Promise<ExecCredential> {
    const { known } = this;
    if (known !== undefined && (known.expiresAt === undefined || this.deps.clock.now() < known.expiresAt)) return known;
    this.running ??= runExecCommand(this.settings, this.connection, this.deps).finally(() => {
      this.running = undefined;
    });
    const credential = await this.running;
    this.known = credential;
    return credential;
  }
}
