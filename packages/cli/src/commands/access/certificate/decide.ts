// `orch certificate approve` and `deny`. Source: kubectl/pkg/cmd/certificates/certificates.go.
import type { ResourceClient } from "@orch/client";
import { isCode } from "@orch/machinery";
import { formatted } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import { readManifests } from "../../../resources/manifests";
import type { Session } from "../../../session/session";
import { conditionOf, type SigningRequest, signingRequests } from "./requests";

export interface DecideOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly output?: string;
}

const DECISIONS = {
  approve: { type: "Approved", opposite: "Denied", done: "approved", reason: "OrchApprove" },
  deny: { type: "Denied", opposite: "Approved", done: "denied", reason: "OrchDeny" },
} as const;
const TRIES_MAX = 10;

export async function decide(
  session: Session,
  named: readonly string[],
  options: DecideOptions & { readonly decision: keyof typeof DECISIONS },
): Promise<void> {
  const names = [...named, ...(await namesInFiles(session, options))];
  if (names.length === 0) throw new CliError("one or more CSRs must be specified as <name> or -f <filename>");
  const { type, requests } = await signingRequests(session);
  const { done } = DECISIONS[options.decision];
  const errors: unknown[] = [];
  for (const name of names) {
    try {
      const object = await decided(requests, name, { ...options, now: session.io.now() });
      const text = `${type.singular}.${type.group}/${name}`;
      if (options.output === undefined) session.write(`${text} ${done}\n`);
      else session.write(options.output === "name" ? `${text}\n` : formatted(object, options.output));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
}

async function namesInFiles(session: Session, { filename = [], recursive = false }: DecideOptions): Promise<string[]> {
  const names: string[] = [];
  for await (const { object, source } of readManifests(filename, session.io, {
    recursive,
    timeoutMs: session.requestTimeoutMs(),
  })) {
    if (object["kind"] !== "CertificateSigningRequest") {
      throw new CliError(`${source}: can only handle CertificateSigningRequest objects, got ${String(object["kind"])}`);
    }
    const { name } = (object["metadata"] ?? {}) as { readonly name?: unknown };
    if (typeof name !== "string") throw new CliError(`${source}: metadata.name is not set`);
    names.push(name);
  }
  return names;
}

/** Adds the condition, again when another client has changed the request. */
async function decided(
  requests: ResourceClient<SigningRequest>,
  name: string,
  { decision, force, now }: DecideOptions & { readonly decision: keyof typeof DECISIONS; readonly now: number },
): Promise<SigningRequest> {
  const { type, opposite, reason } = DECISIONS[decision];
  for (let tries = 1; ; tries += 1) {
    const request = await requests.get(name);
    if (conditionOf(request, opposite) !== undefined) {
      throw new CliError(`certificate signing request ${JSON.stringify(name)} is already ${opposite}`);
    }
    const known = conditionOf(request, type);
    if (known !== undefined && force !== true) return request;
    const message = `This CSR was ${DECISIONS[decision].done} by orch certificate ${decision}.`;
    const condition = { type, status: "True", reason, message, lastUpdateTime: new Date(now).toISOString() };
    const others = request.status?.conditions ?? [];
    const conditions = known === undefined ? [...others, condition] : others;
    try {
      const changed = { ...request, status: { ...request.status, conditions } };
      return await requests.updateSubresource<SigningRequest>(name, "approval", changed);
    } catch (error) {
      if (!isCode(error, 409) || tries >= TRIES_MAX) throw error;
    }
  }
}
