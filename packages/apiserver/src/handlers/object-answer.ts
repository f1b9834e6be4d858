// Answers with one object, compressed when it is large and the client accepts that.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { answerBytes, answered, COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "@orch/http-server";
import type { ApiResponse } from "@orch/request";

/** @returns a promise when the answer must wait */
export function answerObject(
  response: ApiResponse,
  code: number,
  contentType: string,
  body: Buffer,
): void | Promise<void> {
  if (body.length <= COMPRESS_FROM_BYTES || !wantsGzip(response.req)) {
    response.req.context.worked(() => answerBytes(response, code, contentType, body));
    return;
  }
  return answerCompressed(response, code, contentType, body);
}

const compress = promisify(gzip);

async function answerCompressed(response: ApiResponse, code: number, contentType: string, body: Buffer): Promise<void> {
  const compressed = await compress(body, { level: COMPRESSION_LEVEL });
  if (answered(response)) return;
  response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Vary", "Accept-Encoding");
  answerBytes(response, code, contentType, compressed);
}
