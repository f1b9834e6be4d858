// Bodies as JSON for audit events. Small bodies are read on the main thread, large ones on the audit thread. JSON that
// this server encoded is used as it is.
import type { AuditEvent, AuditedBody } from "../event/audit-event";
import { isCompressed } from "../event/audited-body";
import { type BodyTexts, bodyText } from "../text/event-json";
import type { AuditThread } from "./audit-thread";
import type { BodyWork } from "./audit-work";

const SMALL_BYTES = 16 * 1024;
/** Maximum size of bodies on their way to the audit thread and back. */
const WAITING_MAX_BYTES = 96 * 1024 * 1024;
const NEW_LINE = 10;

export class BodyReader {
  private waitingBytes = 0;

  constructor(
    private readonly thread: AuditThread,
    /** Called with the reason when an event is kept without a body that it should have. */
    private readonly withoutBody: (error: Error) => void,
  ) {}

  /** Never rejects. */
  async read({ requestBody, responseBody, omitManagedFields, isCut }: AuditEvent): Promise<BodyTexts> {
    const [request, response] = await Promise.all([
      this.text(requestBody, omitManagedFields),
      this.text(responseBody, omitManagedFields),
    ]);
    const truncated = isCut || request === "tooMuch" || response === "tooMuch";
    return { request: bytesIn(request), response: bytesIn(response), truncated };
  }

  /** @returns undefined for a body that cannot be read, such as that of a bad request */
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
      this.withoutBody(new Error("too many large bodies are queued for the audit"));
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
