// `orch config view`: the merged configuration, without its secrets unless they are asked for.
import { readFileSync } from "node:fs";
import { type ClientConfiguration, ConfigurationError } from "@orch/client";
import type { JsonObject } from "@orch/schema";
import { ENTRY_FIELD, type EntryList } from "../../../connection/configuration-entries";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { type FormatOptions, objectFormat } from "../../../output/object-format";
import { ObjectPrinter } from "../../../output/object-printer";
import { CliError } from "../../../process/cli-error";
import { fileFault } from "../../../process/file-fault";
import type { Session } from "../../../session/session";

interface ViewOptions extends FormatOptions {
  readonly minify?: boolean;
  readonly flatten?: boolean;
  readonly raw?: boolean;
  readonly merge?: string | boolean;
}

type Entry = Readonly<Record<string, unknown>>;

export function view(
  session: Session,
  { minify, flatten, raw, merge, output = "yaml", ...templates }: ViewOptions,
): void {
  if (merge === "false" && session.options.kubeconfig === undefined) {
    throw new CliError("if merge==false a precise file must be specified");
  }
  let configuration = new ConfigurationFiles(session).load();
  if (session.options.context !== undefined)
    configuration = { ...configuration, currentContext: session.options.context };
  if (minify === true) configuration = minified(configuration);
  const shown = flatten === true ? flattened : raw === true ? (entry: Entry) => entry : redacted;
  const list = (name: EntryList) =>
    [...(configuration[name] as ReadonlyMap<string, Entry>)]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([entry, value]) => ({ name: entry, [ENTRY_FIELD[name]]: shown(value) }));
  const document = {
    apiVersion: "v1",
    kind: "Config",
    clusters: list("clusters"),
    contexts: list("contexts"),
    users: list("users"),
    "current-context": configuration.currentContext,
  };
  const format = objectFormat({ ...templates, output });
  if (format !== undefined) session.write(new ObjectPrinter(format).text(document as unknown as JsonObject));
}

function minified({ clusters, users, contexts, currentContext }: ClientConfiguration): ClientConfiguration {
  if (currentContext === "") throw new CliError("current-context must exist in order to minify");
  const context = contexts.get(currentContext);
  if (context === undefined) throw new CliError(`cannot locate context ${currentContext}`);
  const only = <T>(all: ReadonlyMap<string, T>, name: string | undefined): ReadonlyMap<string, T> => {
    const entry = all.get(name ?? "");
    return new Map(entry === undefined ? [] : [[name ?? "", entry]]);
  };
  return {
    clusters: only(clusters, context.cluster),
    users: only(users, context.user),
    contexts: new Map([[currentContext, context]]),
    currentContext,
  };
}

const FILES = ["certificate-authority", "client-certificate", "client-key"];

function flattened(entry: Entry): Entry {
  const made: Record<string, unknown> = { ...entry };
  for (const field of FILES) {
    const path = made[field];
    if (typeof path !== "string" || path === "") continue;
    delete made[field];
    if (made[`${field}-data`]) continue;
    try {
      made[`${field}-data`] = readFileSync(path).toString("base64");
    } catch (error) {
      throw new ConfigurationError(`${field}: ${fileFault(error, path)}`);
    }
  }
  return made;
}

const OMITTED = "DATA+OMITTED";
const REDACTED = "REDACTED";
const SECRET = /token|secret|password|key/i;
const isSecretName = (name: string): boolean => SECRET.test(name);

/** Replaces certificates and secrets, also those of helpers and of the variables of commands. */
function redacted(entry: Entry): Entry {
  const made: Record<string, unknown> = { ...entry };
  for (const field of FILES) if (made[`${field}-data`]) made[`${field}-data`] = OMITTED;
  for (const field of ["token", "password"]) if (made[field]) made[field] = REDACTED;
  const provider = made["auth-provider"] as { readonly config?: Readonly<Record<string, string>> } | undefined;
  if (provider?.config) {
    const config = Object.entries(provider.config).map(([key, value]) => [key, isSecretName(key) ? REDACTED : value]);
    made["auth-provider"] = { ...provider, config: Object.fromEntries(config) as object };
  }
  const exec = made["exec"] as
    | { readonly env?: readonly { readonly name: string; readonly value: string }[] }
    | undefined;
  if (exec?.env) {
    const env = exec.env.map(({ name, value }) => ({ name, value: isSecretName(name) ? REDACTED : value }));
    made["exec"] = { ...exec, env };
  }
  return made;
}
