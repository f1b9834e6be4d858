// A request's body, bounded in size. Its time is bounded by the listener and by the request's deadline.
import { requestEntityTooLarge, type StatusError, TOO_LARGE_TEXT, unsupportedContentEncoding } from "@orch/machinery";
import type { ApiRequest } from "../pipeline/request-context";

/** Source: facts, http.md "Limits". */
const BODY_MAX_BYTES = 3 * 1024 * 1024;

/** The client went away while sending; nobody is left to answer. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

/**
 * The whole body. What exceeds the limit is not kept.
 * @throws StatusError RequestEntityTooLarge (413), UnsupportedMediaType (415) for one that is compressed; ClientGoneError
 */
export function readBody(request: ApiRequest, maxBytes: number = BODY_MAX_BYTES): Promise<Buffer> {
  const { body } = request.context;
  if (body !== undefined) return Promise.resolve(body);
  const coding = request.headers["content-encoding"];
  if (coding !== undefined && !/^(identity)?$/i.test(coding)) return Promise.reject(unsupportedContentEncoding(coding));
  const announced = request.headers["content-length"];
  if (announced !== undefined && Number(announced) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let further: Buffer[] | undefined;
    let bytes = 0;
    let settled = false;
    request.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (settled) return;
      if (bytes > maxBytes) {
        settled = true;
        first = further = undefined;
        reject(tooLarge(maxBytes));
        return;
      }
      if (first === undefined) first = piece;
      else if (further === undefined) further = [first, piece];
      else further.push(piece);
    });
    request.on("end", () => {
      if (settled) return;
      settled = true;
      resolve(further === undefined ? (first ?? EMPTY) : Buffer.concat(further, bytes));
    });
    request.on("close", () => {
      if (settled) return;
      settled = true;
      reject(new ClientGoneError("the client closed the connection before the end of the body"));
    });
    request.on("error", () => {});
  });
}

const EMPTY = Buffer.alloc(0);

function tooLarge(maxBytes: number): StatusError {
  return requestEntityTooLarge(TOO_LARGE_TEXT.body(maxBytes));
}
