// Options that every command accepts, before and after its name.
import { type Command, Option } from "commander";
import { CliError } from "./cli-error";

export interface GlobalOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
  readonly asUserExtra?: readonly string[];
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly requestTimeout?: string;
  readonly cacheDir?: string;
  readonly vocabulary?: "orch" | "kubernetes";
  /** Warnings of the server make the command fail. */
  readonly warningsAsErrors?: boolean;
  /** Log level: 6 and above log each request on standard error. */
  readonly verbosity?: number;
}

/** Returns the options. Lists of commands do not show them; `orch options` does. */
export const globalOptions = (): readonly Option[] => [
  new Option("--kubeconfig <file>", "client configuration file"),
  new Option("--context <name>", "context of the client configuration"),
  new Option("--cluster <name>", "cluster of the client configuration"),
  new Option("--user <name>", "user of the client configuration"),
  new Option("-n, --namespace <name>", "namespace of the request"),
  new Option("-s, --server <url>", "URL of the server"),
  new Option("--token <token>", "bearer token"),
  new Option("--username <name>", "user of basic authentication, which only some servers accept"),
  new Option("--password <password>", "password of basic authentication"),
  new Option("--as <user>", "user to impersonate"),
  new Option("--as-group <group>", "group to impersonate; may be repeated").argParser(collected),
  new Option("--as-uid <uid>", "UID to impersonate"),
  new Option("--as-user-extra <key=value>", "further data of the user to impersonate; may be repeated").argParser(
    collected,
  ),
  new Option("--certificate-authority <file>", "certificates of the authorities that are trusted"),
  new Option("--client-certificate <file>", "client certificate"),
  new Option("--client-key <file>", "key of the client certificate"),
  new Option("--insecure-skip-tls-verify", "do not verify the certificate of the server"),
  new Option("--tls-server-name <name>", "name that the certificate of the server must have"),
  new Option("--request-timeout <duration>", "timeout of a request, such as 10s; 0: none"),
  new Option("--cache-dir <folder>", "folder of cached discovery documents"),
  new Option("--vocabulary <name>", "names of the API, orch or kubernetes; default: those of the server").argParser(
    vocabulary,
  ),
  new Option("--warnings-as-errors", "fail when the server warns"),
  new Option("-v, --verbosity <level>", "from 6 on, log each request on standard error").argParser(Number),
];

/** Adds the options to the program. */
export function addGlobalOptions(program: Command): void {
  for (const option of globalOptions()) program.addOption(option.hideHelp());
}

/** Collects the values of an option that may be repeated, and whose values may be separated by commas. */
export const separated = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.split(",").filter((each) => each !== ""),
];

/** Collects the values of an option that may be repeated. */
export const collected = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function vocabulary(text: string): "orch" | "kubernetes" {
  if (text === "orch" || text === "kubernetes") return text;
  throw new CliError(`--vocabulary: ${JSON.stringify(text)} is not known: use orch or kubernetes`);
}
