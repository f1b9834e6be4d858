// What the manager's options say of how its duties run, for every program that runs them.
import type { FlagTable } from "@orch/machinery";
import { chosenDuties } from "../manager/chosen-duties";
import type { DutyOptions } from "../manager/duty";
import type { ElectionSettings } from "../manager/led-duties";
import type { RunDutiesOptions } from "../manager/run-duties";
import { electionProblems, flagAliases, type ManagerConfig } from "./manager-flags";
import { managerOptions } from "./manager-options";

export type ManagerOptions = ManagerConfig & DutyOptions;

/** @throws Error for a duty that there is not, and for options of a duty that do not go together */
export function runSettingsOf(config: ManagerOptions) {
  const duties = chosenDuties(config.controllers);
  for (const duty of duties) duty.check?.(config);
  return {
    duties,
    rate: { perSecond: config["api-qps"], burst: config["api-burst"] },
    usesAccounts: config["use-service-account-credentials"],
    startIntervalMs: config["controller-start-interval"],
    minResyncMs: config["min-resync-period"],
    options: config,
  } satisfies Partial<RunDutiesOptions>;
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

const OWN_SERVER = "the duties work for the server of their own process";
const OWN_PORT = "/metrics and health checks of the server's own port serve for both";

/** Options of the manager's own port and of its way to a server. */
const NOT_BESIDE: Readonly<Record<string, string>> = {
  kubeconfig: OWN_SERVER,
  master: OWN_SERVER,
  "authentication-kubeconfig": OWN_PORT,
  "authentication-skip-lookup": OWN_PORT,
  "authentication-tolerate-lookup-failure": OWN_PORT,
  "authorization-kubeconfig": OWN_PORT,
  "authorization-always-allow-paths": OWN_PORT,
};

/** The manager's options for a process that is the API server too. One that both programs have is the server's, and is left out here. */
export function optionsBesideServer(server: FlagTable): {
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

/** @returns what is wrong with the options, one line each */
export function besideServerProblems(config: ManagerOptions): string[] {
  try {
    runSettingsOf(config);
    return electionProblems(config);
  } catch (error) {
    return [(error as Error).message];
  }
}
