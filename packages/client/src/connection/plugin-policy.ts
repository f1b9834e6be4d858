// Policy for credential plugins: which commands a client may run. Source: Kubernetes documentation, "Kubectl user
// preferences (kuberc)", credentialPluginPolicy and credentialPluginAllowlist.
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { isObject } from "@orch/schema";
import { ConfigurationError } from "./connection-settings";

type Environment = Readonly<Record<string, string | undefined>>;

export type PluginPolicy =
  | { readonly kind: "AllowAll" }
  | { readonly kind: "DenyAll" }
  /** Commands, each a path or a name that is looked up in PATH. */
  | { readonly kind: "Allowlist"; readonly commands: readonly string[] };

const KINDS = ["AllowAll", "DenyAll", "Allowlist"] as const;

/**
 * Reads the policy in the preferences of a client.
 * @throws ConfigurationError naming the field and the rule
 */
export function pluginPolicyOf(preferences: {
  readonly credentialPluginPolicy?: unknown;
  readonly credentialPluginAllowlist?: unknown;
}): PluginPolicy {
  const { credentialPluginPolicy: asked = "", credentialPluginAllowlist: list } = preferences;
  const kind = asked === "" ? "AllowAll" : KINDS.find((each) => each === asked);
  if (kind === undefined) {
    throw new ConfigurationError(
      `credentialPluginPolicy must be one of ${KINDS.join(", ")}, not ${JSON.stringify(asked)}`,
    );
  }
  if (kind !== "Allowlist") {
    if (list === undefined || list === null) return { kind };
    throw new ConfigurationError(`credentialPluginAllowlist must not be set when credentialPluginPolicy is ${kind}`);
  }
  if (!Array.isArray(list) || list.length === 0) {
    throw new ConfigurationError(
      "credentialPluginAllowlist must name a command when credentialPluginPolicy is Allowlist; DenyAll allows none",
    );
  }
  return { kind, commands: (list as readonly unknown[]).map(commandOf) };
}

function commandOf(entry: unknown, at: number): string {
  // Earlier releases call the field "name".
  const command = isObject(entry) ? (entry["command"] ?? entry["name"]) : undefined;
  if (typeof command === "string" && command !== "") return command;
  throw new ConfigurationError(`credentialPluginAllowlist[${at}]: command must be set`);
}

/**
 * Reports why a command may not run.
 * @param resolved path of the command
 * @returns undefined when it may run
 */
export function pluginRefusal(
  policy: PluginPolicy,
  { command, resolved }: { readonly command: string; readonly resolved: string },
  environment: Environment,
): string | undefined {
  switch (policy.kind) {
    case "AllowAll":
      return undefined;
    case "DenyAll":
      return `plugin ${JSON.stringify(command)} not allowed: policy set to "DenyAll"`;
    case "Allowlist": {
      const isAllowed = (entry: string): boolean =>
        entry === command ||
        entry === resolved ||
        (basename(entry) === basename(resolved) && lookPath(entry, environment) === resolved);
      if (policy.commands.some(isAllowed)) return undefined;
      return `plugin path ${JSON.stringify(resolved)} is not permitted by the credential plugin allowlist`;
    }
  }
}

/** Returns the path of a command, which is looked up in PATH unless it has a separator. @returns undefined: not found */
export function lookPath(command: string, environment: Environment): string | undefined {
  if (command.includes("/")) return isExecutable(command) ? command : undefined;
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
