// Runs an exec credential plugin once: its input, its start and the validation of its output. Source: Kubernetes
// documentation, "Authenticating", "client-go credential plugins".

import { spawn } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isAbsolute, normalize } from "node:path";
import type { Clock } from "@orch/platform";
import { parseTime, VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";
import { ConfigurationError, type ConnectionSettings, type ExecSettings, readTextSource } from "./connection-settings";
import type { CredentialDeps, KeyPair } from "./credential-parts";
import type { HintLimit } from "./hint-limit";
import type { PluginCallStatus } from "./plugin-metrics";
import { lookPath, pluginRefusal } from "./plugin-policy";

export interface ExecCredential {
  readonly token: string | undefined;
  readonly keyPair: KeyPair | undefined;
  /** Milliseconds since the epoch; undefined: valid until the server rejects it. */
  readonly expiresAt: number | undefined;
}

/** The command could not be run, or its output is not a credential. */
export class ExecCredentialError extends Error {
  override readonly name = "ExecCredentialError";

  /** @param code exit code of the command, 1 for one that did not end by itself */
  constructor(
    message: string,
    readonly status: PluginCallStatus = "client_internal_error",
    readonly code = 1,
  ) {
    super(message);
  }
}

/** Timeout that allows for an interactive login. */
const COMMAND_TIMEOUT_MS = 600_000;
const ANSWER_MAX_BYTES = 1024 * 1024;

/** Runs the command, and reports the call. @throws ExecCredentialError, ConfigurationError */
export async function runExecCommand(
  settings: ExecSettings,
  connection: ConnectionSettings,
  deps: CredentialDeps & { readonly hints: HintLimit },
): Promise<ExecCredential> {
  try {
    const credential = await run(settings, connection, deps);
    deps.pluginMetrics?.called("no_error", 0);
    return credential;
  } catch (error) {
    const { status, code } = error instanceof ExecCredentialError ? error : new ExecCredentialError("");
    deps.pluginMetrics?.called(status, code);
    throw error;
  }
}

async function run(
  settings: ExecSettings,
  connection: ConnectionSettings,
  deps: CredentialDeps & { readonly hints: HintLimit },
): Promise<ExecCredential> {
  const interactive = isInteractive(settings, deps.stdinTakenBy);
  const resolved = allowedCommand(settings, deps);
  const info = JSON.stringify({
    kind: "ExecCredential",
    apiVersion: settings.apiVersion,
    spec: {
      ...(settings.provideClusterInfo ? { cluster: await clusterInfo(settings, connection) } : {}),
      interactive,
    },
  });
  const environment = { ...deps.environment };
  for (const { name, value } of settings.env) environment[name] = value;
  for (const name of VOCABULARY_NAMES) environment[vocabularyOf(name).environment.execInfo] = `${info}\n`;
  return credentialIn(await output(settings, { resolved, environment, interactive, clock: deps.clock }), settings);
}

function isInteractive({ interactiveMode }: ExecSettings, stdinTakenBy: string | undefined): boolean {
  const terminal = process.stdin.isTTY === true;
  if (interactiveMode === "Always") {
    const why = terminal
      ? stdinTakenBy && `standard input is unavailable: used by ${stdinTakenBy}`
      : "standard input is not a terminal";
    if (why) throw new ExecCredentialError(`exec plugin cannot support interactive mode: ${why}`);
  }
  return interactiveMode !== "Never" && terminal && !stdinTakenBy;
}

const HELP =
  "The user of the client configuration needs a credential plugin, a separate program that is not installed.\n" +
  'See "client-go credential plugins" in the Kubernetes documentation on authentication.';

/** Returns the path of a command that exists and may run. @throws ExecCredentialError */
function allowedCommand(
  { command, installHint }: ExecSettings,
  deps: CredentialDeps & { readonly hints: HintLimit },
): string {
  const { environment, pluginPolicy = { kind: "AllowAll" }, hints } = deps;
  const cleaned = isAbsolute(command) ? normalize(command) : command;
  const resolved = lookPath(cleaned, environment);
  const refusal = pluginRefusal(pluginPolicy, { command: cleaned, resolved: resolved ?? cleaned }, environment);
  deps.pluginMetrics?.judged(refusal === undefined ? "allowed" : "denied");
  if (refusal !== undefined) throw refused(refusal);
  if (resolved !== undefined) return resolved;
  const help = hints.take() ? ["", HELP, ...(installHint === undefined ? [] : ["", installHint])] : [];
  throw refused([`exec: executable ${command} not found`, ...help].join("\n"), "plugin_not_found_error");
}

async function clusterInfo(
  settings: ExecSettings,
  { server, tls, proxy, disableCompression }: ConnectionSettings,
): Promise<object> {
  const ca = tls.ca === undefined ? undefined : await readTextSource(tls.ca);
  return {
    server,
    ...(tls.serverName === undefined ? {} : { "tls-server-name": tls.serverName }),
    ...(tls.insecureSkipVerify === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(disableCompression === true ? { "disable-compression": true } : {}),
    ...(proxy?.kind === "url" ? { "proxy-url": proxy.url } : {}),
    ...(settings.clusterConfig === undefined ? {} : { config: settings.clusterConfig }),
  };
}

function output(
  { command, args }: ExecSettings,
  how: {
    readonly resolved: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly interactive: boolean;
    readonly clock: Clock;
  },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (what: string, code?: number | null) =>
      reject(refused(`exec: executable ${command} ${what}`, "plugin_execution_error", code ?? 1));
    const child = spawn(how.resolved, args, {
      argv0: command,
      env: how.environment,
      stdio: [how.interactive ? "inherit" : "ignore", "pipe", "inherit"],
    });
    const cancelTimeout = how.clock.after(COMMAND_TIMEOUT_MS, () => child.kill());
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_MAX_BYTES) child.kill();
    });
    child.once("error", (error) => {
      cancelTimeout();
      failed(`could not be started: ${error.message}`);
    });
    child.once("close", (code, signal) => {
      cancelTimeout();
      if (bytes > ANSWER_MAX_BYTES) failed(`returned more than ${ANSWER_MAX_BYTES} bytes`);
      else if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else failed(code === null ? `was terminated by ${signal}` : `failed with exit code ${code}`, code);
    });
  });
}

interface Answer {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  } | null;
}

function credentialIn(text: string, { apiVersion }: ExecSettings): ExecCredential {
  const answer = parsed(text);
  // client-go takes an answer without a kind.
  if (answer.kind && answer.kind !== "ExecCredential")
    throw refused(`plugin returned kind ${JSON.stringify(answer.kind)}`);
  if (answer.apiVersion !== apiVersion) {
    throw refused(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(answer.apiVersion)}`,
    );
  }
  const { status } = answer;
  if (status === undefined || status === null) throw refused("exec plugin didn't return a status field");
  const keyPair = keyPairIn(status);
  if (!status.token && keyPair === undefined) throw refused("exec plugin didn't return a token or cert/key pair");
  return { token: status.token || undefined, keyPair, expiresAt: expiryIn(status.expirationTimestamp) };
}

function parsed(text: string): Answer {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Reported below without the text, which may contain a secret.
  }
  throw refused("decoding stdout: json parse error: it is not a JSON object");
}

function keyPairIn(status: NonNullable<Answer["status"]>): KeyPair | undefined {
  const { clientCertificateData: certificate, clientKeyData: key } = status;
  if (!certificate && !key) return undefined;
  if (!certificate || !key) throw refused("exec plugin returned only certificate or key, not both");
  let belong: boolean;
  try {
    belong = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw refused(`failed parsing client key/certificate: ${(error as Error).message}`);
  }
  if (!belong) throw refused("failed parsing client key/certificate: the key is not the certificate's");
  return { certificate, key };
}

function expiryIn(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const expiresAt = parseTime(text);
  if (expiresAt === undefined) throw refused(`expirationTimestamp is not a time: ${JSON.stringify(text)}`);
  return expiresAt;
}

const refused = (why: string, status?: PluginCallStatus, code?: number): ExecCredentialError =>
  new ExecCredentialError(`getting credentials: ${why}`, status, code);

/** Checks the version of the ExecCredential API. @throws ConfigurationError for an unknown or removed version */
export function checkExecApiVersion(apiVersion: unknown): string {
  const known = VOCABULARY_NAMES.flatMap((name) => {
    const group = vocabularyOf(name).groups.clientAuthentication;
    return [`${group}/v1`, `${group}/v1beta1`];
  });
  if (typeof apiVersion === "string" && known.includes(apiVersion)) return apiVersion;
  throw new ConfigurationError(
    `exec: apiVersion must be one of ${known.join(", ")}, not ${JSON.stringify(apiVersion)}`,
  );
}
