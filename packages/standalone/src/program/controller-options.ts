// Options of the controller manager in the process of the server.
import type { CompanionConfig, CompanionServer, ProgramOptions } from "@orch/apiserver-program";
import type { ElectionSettings, ManagerOptions, RunControllersOptions } from "@orch/controllers";

/**
 * All controllers, including those that are disabled by default, so that machines can join as soon as the server runs.
 */
const EVERY_CONTROLLER = ["*", "bootstrapsigner", "tokencleaner"];

/** Adds the options of the controller manager, which is loaded only when this is called. */
export const moreOptions: NonNullable<ProgramOptions["moreOptions"]> = (server) => {
  const { besideServerProblems, embeddedManagerOptions } =
    require("@orch/controllers") as typeof import("@orch/controllers");
  return {
    ...embeddedManagerOptions(server),
    problems: (commandLine) => besideServerProblems(withOwnDefaults(commandLine)),
  };
};

export type ControllerSettings = Pick<
  RunControllersOptions,
  "controllers" | "rate" | "usesAccounts" | "startIntervalMs" | "minResyncMs" | "options"
> & { readonly election?: ElectionSettings };

/** Returns the controller settings from the command line, and from the server's keys and certificate authority. */
export function controllerSettings({
  commandLine,
  accountKeyFile,
  authorityFiles,
}: Pick<CompanionServer, "commandLine" | "accountKeyFile" | "authorityFiles">): ControllerSettings {
  const { chosenControllers, electionOf, runSettingsOf } =
    require("@orch/controllers") as typeof import("@orch/controllers");
  const { given, isWhole } = commandLine;
  const signsByOptions = [...given].some((name) => /^cluster-signing-.*-file$/.test(name));
  const files = {
    ...(accountKeyFile !== undefined &&
      !given.has("service-account-private-key-file") && { "service-account-private-key-file": accountKeyFile }),
    // The server already trusts client certificates signed by its own certificate authority.
    ...(authorityFiles !== undefined &&
      !signsByOptions && {
        "cluster-signing-cert-file": authorityFiles.certificate,
        "cluster-signing-key-file": authorityFiles.key,
      }),
  };
  const usesAccounts = accountKeyFile !== undefined;
  const config = withOwnDefaults(commandLine);
  // Options of both programs, such as --enable-garbage-collector, apply to the controllers as well.
  if (!isWhole)
    return { controllers: chosenControllers(EVERY_CONTROLLER), options: { ...config, ...files }, usesAccounts };
  const settings = runSettingsOf({ ...config, ...files });
  return {
    ...settings,
    ...(!given.has("use-service-account-credentials") && { usesAccounts }),
    election: electionOf(config),
  };
}

function withOwnDefaults({ config, given }: CompanionConfig): ManagerOptions {
  const all = config as ManagerOptions;
  return given.has("controllers") ? all : { ...all, controllers: EVERY_CONTROLLER };
}
