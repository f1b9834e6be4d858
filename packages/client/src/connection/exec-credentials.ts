// Credentials from an external command, cached until they expire or are rejected. Source: Kubernetes documentation,
// "Authenticating", "client-go credential plugins".
import type { Clock } from "@orch/platform";
import type { ConnectionSettings, ExecSettings } from "./connection-settings";
import type { CredentialDeps, Credentials, KeyPair } from "./credential-parts";
import { type ExecCredential, runExecCommand } from "./exec-command";
import { HintLimit } from "./hint-limit";
import { PluginCertificates } from "./plugin-certificates";

export class ExecCredentials implements Credentials {
  readonly changesAtAnyTime = true;
  private known: ExecCredential | undefined;
  private running: Promise<ExecCredential> | undefined;
  private readonly hints: HintLimit;
  private readonly certificates: PluginCertificates;

  constructor(
    private readonly settings: ExecSettings,
    private readonly connection: ConnectionSettings,
    private readonly deps: CredentialDeps,
  ) {
    this.hints = new HintLimit(deps.clock);
    this.certificates = PluginCertificates.for(deps);
  }

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
    this.running ??= runExecCommand(this.settings, this.connection, { ...this.deps, hints: this.hints }).finally(() => {
      this.running = undefined;
    });
    const credential = await this.running;
    if (this.known !== credential) this.certificates.replaced(this, credential.keyPair);
    this.known = credential;
    return credential;
  }
}

/** Credentials of the process by command and cluster: a command may ask a person, and is then run once for all. */
const known = new WeakMap<Clock, Map<string, ExecCredentials>>();

/** Returns the credentials that all clients with an equal command share. */
export function sharedExecCredentials(
  settings: ExecSettings,
  connection: ConnectionSettings,
  deps: CredentialDeps,
): ExecCredentials {
  if (deps.environment !== process.env) return new ExecCredentials(settings, connection, deps);
  const ofClock = known.get(deps.clock) ?? new Map<string, ExecCredentials>();
  known.set(deps.clock, ofClock);
  const { server, tls, proxy, disableCompression } = connection;
  const cluster = settings.provideClusterInfo ? { server, tls, proxy, disableCompression } : undefined;
  const { userName: _onlyForMessages, ...command } = settings;
  const key = JSON.stringify([command, cluster, deps.pluginPolicy, deps.stdinTakenBy]);
  const found = ofClock.get(key) ?? new ExecCredentials(settings, connection, deps);
  ofClock.set(key, found);
  return found;
}
