// Texts of errors as people and scripts know them from kubectl: one clear line, without a stack trace. Source:
// kubectl/pkg/cmd/util/helpers.go.
import { ConfigurationError, ConnectionError, ExecCredentialError, TimeoutError } from "@orch/client";
import { StatusError } from "@orch/machinery";
import { CommanderError } from "commander";
import { CliError } from "../process/cli-error";
import { fileFault, isFileFault } from "../process/file-fault";

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/** Describes an error. @param server URL of the server, if one was chosen */
export function failureOf(error: unknown, server: string | undefined): Failure {
  const { text, exitCode } = wholeFailureOf(error, server);
  return { text: cut(text), exitCode };
}

/** Maximum number of characters of an error: that of a long list of errors of fields. */
const TEXT_MAX = 8192;

/** Cuts a text that a server or a file has made too long to be read. */
const cut = (text: string): string =>
  text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}... (cut: the message has ${text.length} characters)`;

function wholeFailureOf(error: unknown, server: string | undefined): Failure {
  if (error instanceof CliError) return { text: `error: ${error.message}`, exitCode: error.exitCode };
  // Commander has written its own message.
  if (error instanceof CommanderError) return { text: "", exitCode: error.exitCode };
  if (error instanceof AggregateError) {
    const each = error.errors.map((one: unknown) => failureOf(one, server));
    return { text: [...new Set(each.map(({ text }) => text))].join("\n"), exitCode: each[0]?.exitCode ?? 1 };
  }
  return { text: textOf(error, server), exitCode: 1 };
}

function textOf(error: unknown, server: string | undefined): string {
  if (error instanceof StatusError) return statusText(error);
  if (error instanceof ConfigurationError) {
    return /^(?:invalid configuration|interactiveMode must be specified)/.test(error.message)
      ? `error: ${error.message}`
      : `error: invalid configuration: ${error.message}`;
  }
  if (error instanceof TimeoutError) return `error: the server did not answer in time: ${error.message}`;
  if (error instanceof ExecCredentialError) return `Unable to connect to the server: ${error.message}`;
  if (error instanceof ConnectionError) return connectionText(error, server);
  if (isFileFault(error)) return `error: ${fileFault(error)}`;
  const { message } = error as Error;
  return `error: ${message ?? String(error)}`;
}

function statusText(error: StatusError): string {
  const { details, message } = error;
  if (error.code === 401) return `error: You must be logged in to the server (${message})`;
  if (error.reason === "Invalid") {
    const causes = (details?.causes ?? []).map(({ field, message: text = "" }) => (field ? `${field}: ${text}` : text));
    const isNamed = Boolean(details?.kind) || Boolean(details?.name);
    const head = isNamed ? `The ${details?.kind ?? ""} "${details?.name ?? ""}" is invalid` : "The request is invalid";
    if (causes.length === 0) return `${head}: ${message}`;
    if (causes.length === 1) return `${head}: ${causes[0]}`;
    return [`${head}: `, ...causes.map((text) => `* ${text}`)].join("\n");
  }
  const reason = error.reason as string;
  return reason === "" || reason === "Unknown"
    ? `Error from server: ${message}`
    : `Error from server (${reason}): ${message}`;
}

function connectionText({ code, message }: ConnectionError, server: string | undefined): string {
  const host = server === undefined ? "" : new URL(server).host;
  if (code === "ECONNREFUSED") {
    return `The connection to the server ${host} was refused - did you specify the right host or port?`;
  }
  // Messages of OpenSSL end with a newline.
  return `Unable to connect to the server: ${message.trimEnd()}`;
}
