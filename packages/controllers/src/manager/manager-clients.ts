// Clients of one manager: its own, and one for each controller, under the controller's service account if accounts are
// used. Informers run as the manager, because the roles of most accounts allow little reading.
import { Client, type ClientMetrics, type ClientOptions, type ConnectionSettings } from "@orch/client";
import type { Log } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import type { Controller } from "../framework/controller";
import { AccountCredentials } from "./account-credentials";
import { accountOf } from "./upstream-controllers";

export interface ManagerClientsOptions {
  readonly connection: ConnectionSettings;
  readonly vocabulary: VocabularyName;
  readonly log: Log;
  /** Request rate of a controller with the default rate factor. Default: 20 per second, burst 30. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /**
   * Whether each controller runs under its own service account, which is created when missing. Default: all run as the
   * manager.
   */
  readonly usesAccounts?: boolean;
  /** Whether all clients of the manager use the same connections. Not with `usesAccounts`. Default: false. */
  readonly sharesConnections?: boolean;
  readonly clientMetrics?: ClientMetrics;
  /** Resync period: a random time between this and twice this. Default, and 0: never. */
  readonly minResyncMs?: number;
}

const DEFAULT_RATE = { perSecond: 20, burst: 30 };
const UNLIMITED = { perSecond: 0, burst: 0 };

export class ManagerClients {
  private readonly opened = new Set<Client>();
  private kept: { manager?: Client; follower?: Client; connected?: Client } = {};

  constructor(private readonly options: ManagerClientsOptions) {}

  /**
   * Opens a client as the manager, without a rate limit.
   * @param component purpose of the client
   */
  own(component: string): Client {
    return this.open({ component, rateLimit: UNLIMITED });
  }

  of({ name, rateFactor = 1 }: Controller): Client {
    const { rate = DEFAULT_RATE, usesAccounts = false, vocabulary } = this.options;
    const rateLimit = { perSecond: rate.perSecond * rateFactor, burst: rate.burst * rateFactor };
    const account = usesAccounts ? accountOf(name, vocabulary) : undefined;
    if (account === undefined) return this.open({ component: name, rateLimit });
    this.kept.manager ??= this.own("account-tokens");
    const { manager } = this.kept;
    const { impersonation: _, ...connection } = this.options.connection;
    const credentials = new AccountCredentials({ manager, account });
    return this.open({ component: name, rateLimit, connection, credentials, follower: this.follower });
  }

  /** The manager's client for shared informers. */
  get follower(): Client {
    this.kept.follower ??= this.own("shared-informers");
    return this.kept.follower;
  }

  end(client: Client): void {
    client.close();
    this.opened.delete(client);
  }

  close(): void {
    for (const client of this.opened) client.close();
    this.opened.clear();
    this.kept = {};
  }

  private open(of: Pick<ClientOptions, "component" | "rateLimit"> & Partial<ClientOptions>): Client {
    const { connection, vocabulary, log, clientMetrics, minResyncMs = 0, sharesConnections = false } = this.options;
    const program = vocabularyOf(vocabulary).programs.controllerManager;
    const onWarning = () => {}; // deprecation warnings: the versions come from discovery
    const metrics = clientMetrics === undefined ? {} : { metrics: clientMetrics };
    const resync = minResyncMs === 0 ? {} : { resyncMs: minResyncMs * (1 + Math.random()) };
    const own = { vocabulary, program, log, onWarning, dropsManagedFields: true };
    const { connected } = this.kept;
    const shared = connected !== undefined && { connectionsOf: connected };
    const client = new Client({ connection, ...own, ...metrics, ...resync, ...shared, ...of });
    if (sharesConnections) this.kept.connected ??= client;
    this.opened.add(client);
    return client;
  }
}
