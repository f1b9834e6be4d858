// `orch certificate request`: makes a key and a request, waits until it is signed, and writes both to files that only
// their owner reads. Repeated after an interruption, it goes on with the key and the request that exist.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ResourceClient } from "@orch/client";
import { isCode, parseGoDuration } from "@orch/machinery";
import { makeFolder } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { fileFault } from "../../../process/file-fault";
import type { Session } from "../../../session/session";
import { conditionOf, type SigningRequest, signingRequests } from "./requests";
import { isRequestOf, newKey, signingRequest } from "./signing-request";

export interface RequestOptions {
  readonly commonName?: string;
  readonly group?: readonly string[];
  readonly host?: readonly string[];
  readonly signer: string;
  readonly usage?: readonly string[];
  readonly expires?: string;
  readonly directory: string;
  readonly timeout: string;
  readonly wait: boolean;
}

const OWNER_ONLY = 0o600;
const PAUSE_MS = 500;

export async function requestCertificate(session: Session, name: string, options: RequestOptions): Promise<void> {
  if (name.includes("/") || name === "." || name === "..") {
    throw new CliError(
      `${JSON.stringify(name)} is not a name of a request: use lower case letters, digits, "-" and "."`,
    );
  }
  const paths = { key: join(options.directory, `${name}.key`), certificate: join(options.directory, `${name}.crt`) };
  if (existsSync(paths.certificate)) {
    throw new CliError(`${paths.certificate} exists: remove it, or name another folder with --directory`);
  }
  const timeoutMs = durationMs("--timeout", options.timeout);
  const spec = specOf(options, await session.vocabulary());
  const { requests } = await signingRequests(session);
  const key = keyAt(paths.key, options.directory);
  const { commonName = name, group = [], host = [] } = options;
  const request = signingRequest(key, { commonName, organizations: group, names: host });
  const created = await createdOrKnown(requests, key, {
    metadata: { name },
    spec: { ...spec, request: Buffer.from(request).toString("base64") },
  });
  session.tell(`certificate signing request ${JSON.stringify(name)} ${created ? "created" : "exists"}`);
  if (!options.wait) return;
  const certificate = await signed(session, requests, { name, timeoutMs, timeout: options.timeout });
  writeFileSync(paths.certificate, certificate, { mode: OWNER_ONLY, flag: "wx" });
  session.write(`${paths.certificate}\n${paths.key}\n`);
}

function specOf({ signer, usage, expires }: RequestOptions, { signers }: Vocabulary) {
  const known: Readonly<Record<string, string>> = { client: signers.apiserverClient, serving: signers.agentServing };
  const signerName = known[signer] ?? signer;
  if (!signerName.includes("/")) {
    throw new CliError(
      `--signer: ${JSON.stringify(signer)} is neither client nor serving nor a name such as example.com/web`,
    );
  }
  const isServing = signerName === signers.agentServing || signerName === signers.apiserverServing;
  return {
    signerName,
    usages: usage ?? ["digital signature", isServing ? "server auth" : "client auth"],
    ...(expires === undefined ? {} : { expirationSeconds: Math.floor(durationMs("--expires", expires) / 1000) }),
  };
}

function durationMs(option: string, text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms <= 0)
    throw new CliError(`${option}: ${JSON.stringify(text)} is not a duration, such as 24h`);
  return ms;
}

/** Returns the key of a file, or writes a new one. */
function keyAt(path: string, folder: string): string {
  try {
    if (existsSync(path)) return readFileSync(path, "utf8");
    makeFolder(folder);
    const key = newKey();
    writeFileSync(path, key, { mode: OWNER_ONLY, flag: "wx" });
    return key;
  } catch (error) {
    throw new CliError(fileFault(error, path));
  }
}

/** @returns false when the request exists already, for the same key */
async function createdOrKnown(
  requests: ResourceClient<SigningRequest>,
  key: string,
  request: SigningRequest,
): Promise<boolean> {
  const { name } = request.metadata;
  try {
    await requests.create(request);
    return true;
  } catch (error) {
    if (!isCode(error, 409)) throw error;
    const known = await requests.get(name);
    if (isRequestOf(Buffer.from(known.spec.request, "base64").toString("latin1"), key)) return false;
    throw new CliError(
      `a certificate signing request ${JSON.stringify(name)} for another key exists: choose another name, or delete it`,
    );
  }
}

/** Waits for the certificate. @returns PEM @throws CliError when the request is denied or the time is over */
async function signed(
  session: Session,
  requests: ResourceClient<SigningRequest>,
  { name, timeoutMs, timeout }: { readonly name: string; readonly timeoutMs: number; readonly timeout: string },
): Promise<string> {
  const quoted = JSON.stringify(name);
  let isTold = false;
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const request = await requests.get(name, { signal: session.signal });
    const { certificate } = request.status ?? {};
    if (certificate) return Buffer.from(certificate, "base64").toString("utf8");
    for (const type of ["Denied", "Failed"]) {
      const condition = conditionOf(request, type);
      if (condition === undefined) continue;
      const why = [condition.reason, condition.message].filter((text) => text).join(": ");
      throw new CliError(`certificate signing request ${quoted} is ${type}: ${why}`);
    }
    const isApproved = conditionOf(request, "Approved") !== undefined;
    if (!isTold && !isApproved) session.tell(`waiting until it is approved: orch certificate approve ${name}`);
    isTold = true;
    if (waitedMs >= timeoutMs) {
      const missing = isApproved ? "signed: does a controller sign for its signer?" : "approved";
      throw new CliError(
        `certificate signing request ${quoted} was not ${missing} within ${timeout}: repeat the command to wait on`,
      );
    }
    await pause(PAUSE_MS, undefined, { signal: session.signal });
  }
}
