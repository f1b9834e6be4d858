// Faults of the clusters and users of a client configuration, with their remedies.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { FIELDS } from "./fields";

export interface EntryContext {
  /** Folder of the file, for relative paths. */
  readonly folder: string;
  /** Time of the day, in milliseconds. */
  readonly now: number;
  readonly tell: (field: string, text: string, isWarning?: boolean) => void;
}

type Entry = Readonly<Record<string, unknown>>;

export function entryFaults(list: "clusters" | "users", entry: Entry, context: EntryContext): void {
  for (const [field, value] of Object.entries(entry)) {
    const kind = FIELDS[list][field];
    const isText = kind === "text" || kind === "path" || kind === "data";
    if (isText && value !== null && typeof value !== "string") context.tell(field, "is not a text: write it in quotes");
    if (kind === "boolean" && typeof value !== "boolean") context.tell(field, "is neither true nor false");
  }
  if (list === "clusters") clusterFaults(entry, context);
  else userFaults(entry, context);
}

function clusterFaults(entry: Entry, context: EntryContext): void {
  const { tell } = context;
  const server = text(entry["server"]);
  if (server === "") tell("", 'server is missing: add "server: https://HOST:PORT"');
  else if (!URL.canParse(/^https?:\/\//.test(server) ? server : `https://${server}`)) {
    tell("server", `${JSON.stringify(server)} is not a URL: use https://HOST:PORT`);
  } else if (server.startsWith("http://")) {
    tell("server", "without TLS, credentials are not sent: use https://HOST:PORT", true);
  }
  const proxy = text(entry["proxy-url"]);
  if (proxy !== "" && !/^(https?|socks5h?):\/\/./.test(proxy)) {
    tell("proxy-url", `${JSON.stringify(proxy)} is not a URL of a proxy: use http://, https:// or socks5://HOST:PORT`);
  }
  const ca = pemOf(entry, "certificate-authority", context);
  if (ca === undefined) return;
  if (entry["insecure-skip-tls-verify"] === true) {
    tell("insecure-skip-tls-verify", "a certificate authority is given as well: remove one of both");
  }
  certificateFaults(ca, context, "the authority's certificate");
}

function userFaults(entry: Entry, context: EntryContext): void {
  const { tell } = context;
  const certificate = pemOf(entry, "client-certificate", context);
  const key = pemOf(entry, "client-key", context);
  if ((certificate === undefined) !== (key === undefined) && !hasBoth(entry)) {
    tell("", "a client certificate and its key must be given together");
  }
  if (certificate !== undefined) certificateFaults(certificate, context, "the certificate");
  if (certificate !== undefined && key !== undefined) pairFaults(certificate, key, tell);
  if (entry["username"] || entry["password"]) {
    tell("username", "API servers do not accept passwords: use a token, a certificate or exec", true);
  }
  if (entry["token"] && entry["tokenFile"])
    tell("token", "tokenFile takes precedence over it: remove one of both", true);
  const tokenFile = text(entry["tokenFile"]);
  if (tokenFile !== "" && !existsSync(resolve(context.folder, tokenFile)))
    tell("tokenFile", `${tokenFile}: no such file`);
  if (!entry["as"] && (entry["as-uid"] || entry["as-groups"] || entry["as-user-extra"])) {
    tell("", "as-uid, as-groups and as-user-extra need as, which names the user to impersonate");
  }
  if (entry["exec"] !== undefined) execFaults(entry["exec"], context);
  if (entry["auth-provider"] !== undefined) providerFaults(entry["auth-provider"], tell);
}

/** Whether both parts are named, whatever their faults. */
const hasBoth = (entry: Entry): boolean =>
  ["client-certificate", "client-key"].every((field) => Boolean(entry[field] || entry[`${field}-data`]));

function execFaults(exec: unknown, { folder, tell }: EntryContext): void {
  const { command, apiVersion, interactiveMode } = (exec ?? {}) as Readonly<Record<string, unknown>>;
  const name = text(command);
  if (name === "") tell("exec", "command is missing");
  else if (!isProgram(name, folder)) tell("exec", `the command ${JSON.stringify(name)} is not found`);
  const version = text(apiVersion);
  if (!/^client\.authentication\.[^/]+\/v1(beta1)?$/.test(version)) {
    tell("exec", "apiVersion is missing or not supported: use v1 or v1beta1 of the group client.authentication");
  }
  const modes = ["Never", "IfAvailable", "Always"];
  if (interactiveMode === undefined && version.endsWith("/v1")) {
    tell("exec", `interactiveMode is missing: use ${modes.join(", ")}`);
  } else if (interactiveMode !== undefined && !modes.includes(text(interactiveMode))) {
    tell("exec", `interactiveMode is none of ${modes.join(", ")}`);
  }
}

function isProgram(command: string, folder: string): boolean {
  if (command.includes("/")) return existsSync(isAbsolute(command) ? command : resolve(folder, command));
  return (process.env["PATH"] ?? "").split(delimiter).some((place) => existsSync(join(place, command)));
}

function providerFaults(provider: unknown, tell: EntryContext["tell"]): void {
  const { name, config } = (provider ?? {}) as { readonly name?: unknown; readonly config?: Entry | null };
  if (name !== "oidc") {
    tell("auth-provider", `${JSON.stringify(name ?? "")} is not supported: use oidc, or a command (exec)`);
    return;
  }
  for (const field of ["idp-issuer-url", "client-id"]) {
    if (!config?.[field]) tell("auth-provider", `config.${field} is missing: run "orch login"`);
  }
}

/** Returns the PEM of a field with data or a path; undefined when it is absent or faulty. */
function pemOf(entry: Entry, field: string, { folder, tell }: EntryContext): string | undefined {
  const data = text(entry[`${field}-data`]);
  if (data !== "") {
    const pem = Buffer.from(data, "base64").toString("utf8");
    if (pem.includes("-----BEGIN ")) return pem;
    tell(`${field}-data`, 'is not PEM in base64: use the output of "base64 -w0 FILE"');
    return undefined;
  }
  const path = text(entry[field]);
  if (path === "") return undefined;
  try {
    const pem = readFileSync(resolve(folder, path), "utf8");
    if (pem.includes("-----BEGIN ")) return pem;
    tell(field, `${path} has no PEM block`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    tell(field, code === "ENOENT" ? `${path}: no such file` : message);
  }
  return undefined;
}

const SOON_MS = 14 * 86_400_000;

function certificateFaults(pem: string, { now, tell }: EntryContext, what: string): void {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    const end = Date.parse(validTo);
    if (end < now) tell("", `${what} expired on ${day(end)}: renew it`);
    else if (Date.parse(validFrom) > now) tell("", `${what} is valid from ${day(Date.parse(validFrom))} on`);
    else if (end < now + SOON_MS) tell("", `${what} expires on ${day(end)}: renew it`, true);
  } catch {
    tell("", `${what} cannot be read`);
  }
}

function pairFaults(certificate: string, key: string, tell: EntryContext["tell"]): void {
  try {
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
      tell("", "the key is not that of the client certificate");
    }
  } catch {
    tell("", "the client certificate or its key cannot be read");
  }
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const text = (value: unknown): string => (typeof value === "string" ? value : "");
