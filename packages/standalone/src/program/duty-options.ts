// The controller manager's options in the process of the server.
import type { CompanionConfig, CompanionServer, ProgramOptions } from "@orch/apiserver";
import type { ElectionSettings, ManagerOptions, RunDutiesOptions } from "@orch/controllers";

/** Every duty, those that are off by default included, so that machines can join as soon as the server runs. */
const EVERY_DUTY = ["*", "bootstrapsigner", "tokencleaner"];

/** Loads the manager only when it is called. */
export const moreOptions: NonNullable<ProgramOptions["moreOptions"]> = (server) => {
  const { besideServerProblems, optionsBesideServer } =
    require("@orch/controllers") as typeof import("@orch/controllers");
  return {
    ...optionsBesideServer(server),
    problems: (commandLine) => besideServerProblems(withOwnDefaults(commandLine)),
  };
};

export type DutySettings = Pick<
  RunDutiesOptions,
  "duties" | "rate" | "usesAccounts" | "startIntervalMs" | "minResyncMs" | "options"
> & { readonly election?: ElectionSettings };

/** What the command line says of the duties, and beside that what the server has for them: its keys and its authority. */
export function dutySettings({
  commandLine,
  accountKeyFile,
  authorityFiles,
}: Pick<CompanionServer, "commandLine" | "accountKeyFile" | "authorityFiles">): DutySettings {
  const { chosenDuties, electionOf, runSettingsOf } =
    require("@orch/controllers") as typeof import("@orch/controllers");
  const { given, isWhole } = commandLine;
  const signsByOptions = [...given].some((name) => /^cluster-signing-.*-file$/.test(name));
  const files = {
    ...(accountKeyFile !== undefined &&
      !given.has("service-account-private-key-file") && { "service-account-private-key-file": accountKeyFile }),
    // Clients whose certificates are signed are known to the server by its own authority at once.
    ...(authorityFiles !== undefined &&
      !signsByOptions && {
        "cluster-signing-cert-file": authorityFiles.certificate,
        "cluster-signing-key-file": authorityFiles.key,
      }),
  };
  const usesAccounts = accountKeyFile !== undefined;
  const config = withOwnDefaults(commandLine);
  // Options that both programs have, such as --enable-garbage-collector, count for the duties too.
  if (!isWhole) return { duties: chosenDuties(EVERY_DUTY), options: { ...config, ...files }, usesAccounts };
  const settings = runSettingsOf({ ...config, ...files });
  return {
    ...settings,
    ...(!given.has("use-service-account-credentials") && { usesAccounts }),
    election: electionOf(config),
  };
}

function withOwnDefaults({ config, given }: CompanionConfig): ManagerOptions {
  const all = config as ManagerOptions;
  return given.has("controllers") ? all : { ...all, controllers: EVERY_DUTY };
}
