// What bodies say, as the JSON that events hold. Small ones are read here and now; large ones beside the main thread, for the worst of
// them take long; what this server has itself written as JSON goes in as it is.
import type { AuditEvent, AuditedBody } from "../audit-event";
import { isCompressed } from "../audited-body";
import { type BodyTexts, bodyText } from "../text/event-json";
import type { AuditThread } from "./audit-thread";
import type { BodyWork } from "./audit-work";

const SMALL_BYTES = 16 * 1024;
/** Of bodies on their way to the thread and back. */
const WAITING_MAX_BYTES = 96 * 1024 * 1024;
const NEW_LINE = 10;

export class BodyReader {
  private waitingBytes = 0;

  constructor(
    private readonly thread: AuditThread,
    /** Told why an event is kept without a body that it should have. */
    private readonly withoutBody: (error: Error) => void,
  ) {}

  /** Never rejected. */
  async read({ requestBody, responseBody, omitManagedFields, isCut }: AuditEvent): Promise<BodyTexts> {
    const [request, response] = await Promise.all([
      this.text(requestBody, omitManagedFields),
      this.text(responseBody, omitManagedFields),
    ]);
    const truncated = isCut || request === "tooMuch" || response === "tooMuch";
    return { request: bytesIn(request), response: bytesIn(response), truncated };
  }

  /** @returns undefined for what cannot be read, such as the body of a bad request */
  private async text(
    body: AuditedBody | undefined,
    omitManagedFields: boolean,
  ): Promise<Uint8Array | undefined | "tooMuch"> {
    if (body === undefined) return undefined;
    const asItIs = omitManagedFields || body.hidesToken ? undefined : ownLine(body);
    if (asItIs !== undefined) return asItIs;
    const { bytes, contentType, hidesToken, isOwn } = body;
    try {
      if (bytes.length <= SMALL_BYTES && !isCompressed(bytes)) return bodyText(await body.value(), omitManagedFields);
      return await this.elsewhere({ bytes, contentType, omitManagedFields, hidesToken, isOwn });
    } catch (error) {
      if (!isOwn) return undefined;
      this.withoutBody(error as Error);
      return "tooMuch";
    }
  }

  private async elsewhere(work: BodyWork): Promise<Uint8Array | "tooMuch"> {
    const { length } = work.bytes;
    if (this.waitingBytes + length > WAITING_MAX_BYTES) {
      this.withoutBody(new Error("too many large bodies wait to be read for the audit"));
      return "tooMuch";
    }
    this.waitingBytes += length;
    try {
      return await this.thread.readBody(work);
    } finally {
      this.waitingBytes -= length;
    }
  }
}

const bytesIn = (text: Uint8Array | undefined | "tooMuch"): Uint8Array | undefined =>
  text === "tooMuch" ? undefined : text;

function ownLine({ bytes, contentType, isOwn }: AuditedBody): Uint8Array | undefined {
  if (!isOwn || !contentType.startsWith("application/json") || isCompressed(bytes)) return undefined;
  const end = bytes[bytes.length - 1] === NEW_LINE ? bytes.length - 1 : bytes.length;
  const at = bytes.indexOf(NEW_LINE);
  return at === -1 || at === end ? bytes.subarray(0, end) : undefined;
}
