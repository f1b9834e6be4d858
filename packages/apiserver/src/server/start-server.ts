// Starts a whole server inside a process, for tests of this project and of others.

import { ADMIN_USER, makeAccountKey, makeClient, makeSelfSignedCa, servingNames } from "@orch/http-server";
import { defaultsOf } from "@orch/machinery";
import { type Logger, SILENT } from "@orch/observability";
import { type KeyAndCertificate, systemClock } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig, settingsOf } from "@orch/server-config";
import { openStore, type Store } from "@orch/store";
import type { ServerSeams } from "./api-server-parts";
import { kubeconfigText } from "./kubeconfig";
import { openApiServer } from "./open-api-server";
import { startFailure } from "./start-failure";
import { refuseWrongOptions, refuseWrongUser } from "./start-problems";

export interface StartOptions {
  /** Default: `orch`. */
  readonly vocabulary?: VocabularyName;
  /** A store to use, closed by its owner. Default: an in-memory store. */
  readonly store?: Store;
  /**
   * Options by the names that the program's `--help` gives them. Some defaults differ from the program's:
   * `bind-address` and `authorization-mode` depend on no other option (127.0.0.1 and RBAC), `secure-port` is 0 for any
   * free port, the store is not compacted, the server's endpoints are not reconciled, and the admission plugin
   * ServiceAccount is off until `enable-admission-plugins` names it, because no controller creates service accounts.
   */
  readonly flags?: Partial<Omit<ServerConfig, "vocabulary" | "store">>;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
}

export interface RunningServer {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed the serving certificate. */
  readonly ca: string;
  /** Client certificate and key, PEM, of a user with all permissions. */
  readonly admin: KeyAndCertificate;
  /** Kubeconfig of that user, as text. */
  readonly kubeconfig: string;
  /** Issues a client certificate and key for another user. */
  issueClient(user: { readonly name: string; readonly groups?: readonly string[] }): KeyAndCertificate;
  stop(): Promise<void>;
}

const DEFAULTS = {
  "bind-address": "127.0.0.1",
  "secure-port": 0,
  "authorization-mode": ["RBAC"],
  "etcd-compaction-interval": 0,
  "endpoint-reconciler-type": "none",
} as const;

const OPTIONS = ["vocabulary", "store", "flags", "logger"] as const satisfies readonly (keyof StartOptions)[];

/** The default admission plugin that is off here. */
const OFF = "ServiceAccount";

/**
 * Starts a server. Any number of servers run in one process, each with its own objects, or several on one store as
 * replicas.
 * @returns the server when it is ready
 * @throws SettingsError for wrong options, and Error for a port or a store that cannot be used
 */
export const startServer = (options: StartOptions = {}): Promise<RunningServer> => startWithSeams(options, {});

/** Starts a server with replaced parts, for tests of the interfaces between them. */
export async function startWithSeams(options: StartOptions, seams: ServerSeams): Promise<RunningServer> {
  refuseWrongOptions(options, OPTIONS);
  const vocabulary = vocabularyOf(options.vocabulary ?? "orch");
  const logger = options.logger ?? SILENT;
  const unasked = defaultsOf(SERVER_FLAGS) as ServerConfig;
  const config = { ...unasked, store: "memory", ...DEFAULTS, ...options.flags, ...pluginsOff(options.flags) };
  if (config["authorization-config"] !== "" && options.flags?.["authorization-mode"] === undefined)
    config["authorization-mode"] = unasked["authorization-mode"];
  const settings = settingsOf(config, vocabulary);
  const { clock = systemClock } = seams;
  const authority = makeSelfSignedCa(
    servingNames({
      vocabulary,
      bindAddress: config["bind-address"],
      advertiseAddress: config["advertise-address"],
      externalHostname: config["external-hostname"],
    }),
    () => clock.now(),
  );
  const { server, close } = await openApiServer({
    ...{ config, settings, vocabulary, logger, authority, clock, seams },
    ownsProcess: false,
    async openStores() {
      const store = options.store ?? (await openStore({ kind: "memory" }));
      return { store, others: [], close: async () => (options.store === undefined ? store.close() : undefined) };
    },
    credentials: () => ({ config, accountKey: makeAccountKey() }),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await close();
  };
  try {
    await server.listen();
    await server.becomeReady();
  } catch (error) {
    await stop();
    const foreseen = startFailure(error, config);
    throw foreseen === undefined ? error : new Error(foreseen, { cause: error });
  }
  const { url } = server;
  return {
    url,
    port: server.port,
    // Read at each access, because the authority renews its certificate.
    get ca() {
      return authority.ca.certificate;
    },
    get admin() {
      return authority.admin;
    },
    get kubeconfig() {
      return kubeconfigText({
        url,
        user: ADMIN_USER,
        material: { kind: "inPlace", ca: authority.ca.certificate, ...authority.admin },
        name: vocabulary.objectNames.product,
      });
    },
    issueClient(user) {
      refuseWrongUser(user);
      return makeClient(authority.ca, { commonName: user.name, organizations: user.groups ?? [] });
    },
    stop,
  };
}

/** Disables the plugin unless the flags enable it or give a complete list of plugins. */
function pluginsOff(flags: StartOptions["flags"] = {}): Partial<Pick<ServerConfig, "disable-admission-plugins">> {
  const asked = flags["enable-admission-plugins"] ?? [];
  const off = flags["disable-admission-plugins"] ?? [];
  if ((flags["admission-control"] ?? []).length > 0 || asked.includes(OFF) || off.includes(OFF)) return {};
  return { "disable-admission-plugins": [...off, OFF] };
}
