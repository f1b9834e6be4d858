// Moves long writes to the large-object workers: those whose body or object has many values or long texts.

import { answered, readBody, sendBody } from "@orch/http-server";
import { requestEntityTooLarge, TOO_LARGE_TEXT } from "@orch/machinery";
import { bufferOf } from "@orch/platform";
import type { ApiRequest, ApiResponse } from "@orch/request";
import { countValues, hasManyValues, isLargeJson, MANY_VALUES } from "@orch/schema";
import type { LargeWrites } from "../large-objects/worker-calls";
import type { WriteRequest } from "./carry-out-write";
import type { WriteDeps } from "./handler";
import { inForce } from "./in-force";

/** @returns whether a large-object worker carries out the write */
export function isLargeWrite(request: ApiRequest, { key, route }: WriteRequest): boolean {
  const body = readBody(request);
  const { longBytes = Number.POSITIVE_INFINITY } = route.definition;
  return (
    isLarge(body) || body.length > longBytes || (key.name !== "" && (route.storage.isLarge(key) || mayDouble(request)))
  );
}

/**
 * Whether it is a JSON patch with a `copy` operation: each may double the object, so a few bytes make megabytes of it.
 */
function mayDouble({ method, headers, context: { body } }: ApiRequest): boolean {
  if (method !== "PATCH" || headers["content-type"]?.toLowerCase().includes("json-patch") !== true) return false;
  return body.includes('"copy"') || body.includes("\\u");
}

/** Limits the number of values in a review. @throws StatusError RequestEntityTooLarge (413) */
export function requireShortQuestion(request: ApiRequest): void {
  const body = readBody(request);
  if (isOther(body) ? body.length > OTHER_MAX_BYTES : hasManyValues(body)) {
    throw requestEntityTooLarge(TOO_LARGE_TEXT.values(MANY_VALUES));
  }
}

/** Maximum number of values in a body. A denser body takes seconds and a multiple of its size in memory. */
const VALUES_MAX = 300_000;
/** Other formats than JSON take longer to parse, and their values are not counted. */
const OTHER_MAX_BYTES = 12 * 1024;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

const isOther = ({ 0: first }: Buffer): boolean => first !== OPEN_BRACE && first !== OPEN_BRACKET;

const isLarge = (body: Buffer): boolean => (isOther(body) ? body.length > OTHER_MAX_BYTES : isLargeJson(body));

/**
 * Runs where the write is carried out: counting the values of some megabytes takes tens of milliseconds.
 * @throws StatusError RequestEntityTooLarge (413)
 */
export function requireBearable(body: Buffer): void {
  if (!isOther(body) && countValues(body, VALUES_MAX) >= VALUES_MAX)
    throw requestEntityTooLarge(TOO_LARGE_TEXT.values(VALUES_MAX));
}

/** Answers with the result of a large-object worker. */
export async function writeInWorker(
  deps: Pick<WriteDeps, "acknowledged"> & { readonly largeObjectWorkers: LargeWrites },
  request: ApiRequest,
  response: ApiResponse,
  info: WriteRequest,
): Promise<void> {
  const { largeObjectWorkers } = deps;
  const { path } = info.route;
  const { context, method = "", headers, httpVersionMajor } = request;
  const answer = await largeObjectWorkers.write(
    {
      route: path,
      method,
      url: context.target,
      headers,
      httpVersionMajor,
      body: context.body,
      user: context.user,
      id: context.id,
      pretty: context.pretty,
      tellsChanges: context.tellsChanges,
      warnings: context.warnings ?? [],
      timeoutMs: Math.max(0, context.deadline - performance.now()),
    },
    context.end,
  );
  context.dryRun = answer.dryRun;
  context.applies = answer.applies;
  context.contentType = answer.contentType;
  context.failure = answer.failure;
  context.sent = answer.sent;
  context.changedFields = answer.changedFields;
  for (const [key, { value, level }] of answer.auditAnnotations ?? []) context.annotate(key, value, level);
  if (answer.code < 300) await inForce(deps, { request, info });
  if (answered(response)) return;
  response.writeHead(answer.code, [...answer.headers]);
  sendBody(response, bufferOf(answer.body));
}
