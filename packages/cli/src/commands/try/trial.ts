// One write as a dry run: with the server's explanation, or, from servers that give none, with its result alone.
import type { Client } from "@orch/client";
import { isCode, StatusError, toStatus } from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import type { Target } from "../change/targets";
import { pathOf } from "../look/get/read-pages";

export interface TrialStep {
  readonly phase: string;
  readonly round: number;
  readonly plugin: string;
  /** Webhook or policy; absent for the plugin as a whole. */
  readonly part?: string;
  readonly decision: string;
  readonly code?: number;
  readonly message?: string;
  readonly patch?: JsonArray;
  readonly durationMilliseconds?: number;
}

/** Members of the server's `AdmissionExplanation`, and what the command adds. */
export interface Trial {
  /** Such as `pods/web`. */
  readonly target: string;
  readonly operation: "create" | "update";
  readonly allowed: boolean;
  readonly code: number;
  readonly object?: JsonObject;
  readonly status?: JsonObject;
  readonly steps?: readonly TrialStep[];
  readonly attempts?: number;
  /** Object that was sent, or that is stored: the result is compared with it. */
  readonly before?: JsonObject;
  /** Reason for which the server gave no explanation. */
  readonly unexplained?: string;
}

const FIELD_MANAGER = "orch";
const NOT_OFFERED = "the server does not explain admission: this is the result of a dry run";
const NOT_AUTHORIZED = "authorization refuses the request before admission";
const NOT_PERMITTED = 'the user has no right to the verb "explain": this is the result of a dry run';

export async function tryWrite(session: Session, target: Target): Promise<Trial> {
  const client = await session.client();
  const { type, name, object = {} } = target;
  const stored = name === "" ? undefined : await storedObject(client, target);
  const operation = stored === undefined ? "create" : "update";
  const of = { target: `${type.resource}/${name || "(generated name)"}`, operation, before: stored ?? object } as const;
  try {
    const answer = await send(client, target, { operation, explains: true });
    if (answer["kind"] !== "AdmissionExplanation" || !Array.isArray(answer["steps"])) {
      return { ...of, allowed: true, code: 200, object: answer, unexplained: NOT_OFFERED };
    }
    const { kind: _, apiVersion: __, ...explanation } = answer;
    return { ...of, ...(explanation as unknown as Pick<Trial, "allowed" | "code">) };
  } catch (error) {
    if (!isForbiddenExplanation(error)) {
      return refusal(error, of, isUnauthorized(error) ? NOT_AUTHORIZED : NOT_OFFERED);
    }
  }
  try {
    const answer = await send(client, target, { operation, explains: false });
    return { ...of, allowed: true, code: 200, object: answer, unexplained: NOT_PERMITTED };
  } catch (error) {
    return refusal(error, of, NOT_PERMITTED);
  }
}

function refusal(error: unknown, of: Pick<Trial, "target" | "operation" | "before">, unexplained: string): Trial {
  if (!(error instanceof StatusError)) throw error;
  const status = toStatus(error);
  return {
    ...of,
    allowed: false,
    code: status.code ?? 500,
    status: { ...status } as unknown as JsonObject,
    unexplained,
  };
}

const isForbiddenExplanation = (error: unknown): boolean =>
  isCode(error, 403) && /cannot explain resource/.test((error as Error).message);

/** Tells whether authorization refused the write, which admission then never saw. */
const isUnauthorized = (error: unknown): boolean =>
  isCode(error, 403) && /is forbidden: User ".*" cannot \w+ resource /.test((error as Error).message);

/** Returns the stored object; undefined when there is none, or the user may not get it. */
async function storedObject(client: Client, target: Target): Promise<JsonObject | undefined> {
  try {
    const answer = await client.requestJson({ method: "GET", path: pathOf(target, {}) });
    return isObject(answer) ? answer : undefined;
  } catch (error) {
    if (isCode(error, 404) || isCode(error, 403)) return undefined;
    throw error;
  }
}

async function send(
  client: Client,
  target: Target,
  { operation, explains }: { readonly operation: "create" | "update"; readonly explains: boolean },
): Promise<JsonObject> {
  const query = {
    dryRun: "All",
    fieldManager: FIELD_MANAGER,
    ...(explains && { admission: "explain" }),
    ...(operation === "update" && { force: "true" }),
  };
  const body = JSON.stringify(target.object ?? {});
  const answer =
    operation === "create"
      ? await client.requestJson({
          method: "POST",
          path: pathOf({ type: target.type, namespace: target.namespace }, query),
          body,
        })
      : await client.requestJson({
          method: "PATCH",
          path: pathOf(target, query),
          body,
          contentType: "application/apply-patch+yaml",
        });
  if (!isObject(answer)) throw new CliError("the server answered no object");
  return answer;
}
