// Settings of the controllers from the manager's options, for every program that runs them.
import type { FlagTable } from "@orch/machinery";
import type { ControllerOptions } from "../framework/controller";
import { chosenControllers } from "../manager/chosen-controllers";
import type { ElectionSettings } from "../manager/leader-elected-controllers";
import type { RunControllersOptions } from "../manager/run-controllers";
import { electionProblems, flagAliases, type ManagerConfig } from "./manager-flags";
import { managerOptions } from "./manager-options";

export type ManagerOptions = ManagerConfig & ControllerOptions;

/** @throws Error for an unknown controller, and for an invalid combination of a controller's options */
export function runSettingsOf(config: ManagerOptions) {
  const controllers = chosenControllers(config.controllers);
  for (const controller of controllers) controller.check?.(config);
  return {
    controllers,
    rate: { perSecond: config["api-qps"], burst: config["api-burst"] },
    usesAccounts: config["use-service-account-credentials"],
    startIntervalMs: config["controller-start-interval"],
    minResyncMs: config["min-resync-period"],
    options: config,
  } satisfies Partial<RunControllersOptions>;
}

export function electionOf(config: ManagerConfig): ElectionSettings {
  const [name, namespace] = [config["leader-elect-resource-name"], config["leader-elect-resource-namespace"]];
  return {
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    durations: {
      leaseDurationMs: config["leader-elect-lease-duration"],
      renewDeadlineMs: config["leader-elect-renew-deadline"],
      retryPeriodMs: config["leader-elect-retry-period"],
    },
  };
}

const OWN_SERVER = "the controllers connect to the API server of their own process";
const OWN_PORT = "/metrics and health checks are served on the port of the API server";

/** Options of the manager's own port and of its connection to a server, which have no effect in a combined process. */
const NOT_BESIDE: Readonly<Record<string, string>> = {
  kubeconfig: OWN_SERVER,
  master: OWN_SERVER,
  "authentication-kubeconfig": OWN_PORT,
  "authentication-skip-lookup": OWN_PORT,
  "authentication-tolerate-lookup-failure": OWN_PORT,
  "authorization-kubeconfig": OWN_PORT,
  "authorization-always-allow-paths": OWN_PORT,
};

/**
 * Returns the manager's options for a process that is the API server too. Options of both programs belong to the server
 * and are left out.
 */
export function embeddedManagerOptions(server: FlagTable): {
  readonly table: FlagTable;
  readonly aliases: Readonly<Record<string, string>>;
} {
  const all = managerOptions();
  const rows = Object.entries(all).filter(([name]) => !Object.hasOwn(server, name));
  const table = Object.fromEntries(
    rows.map(([name, row]) => {
      const missing = NOT_BESIDE[name];
      return [name, missing === undefined ? row : { ...row, noEffect: true as const, missing }];
    }),
  );
  return { table, aliases: flagAliases(all) };
}

/** @returns problems of the options, one per line */
export function besideServerProblems(config: ManagerOptions): string[] {
  try {
    runSettingsOf(config);
    return electionProblems(config);
  } catch (error) {
    return [(error as Error).message];
  }
}
