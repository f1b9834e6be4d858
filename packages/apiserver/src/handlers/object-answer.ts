// One whole object as an answer, compressed when it is large and the client takes that.
import { gzip } from "node:zlib";
import { answerBytes } from "../http/answer";
import type { ApiResponse } from "../pipeline/request-context";
import { COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "./compression";

export function answerObject(response: ApiResponse, code: number, contentType: string, body: Buffer): void {
  if (body.length <= COMPRESS_FROM_BYTES || !wantsGzip(response.req)) {
    answerBytes(response, code, contentType, body);
    return;
  }
  gzip(body, { level: COMPRESSION_LEVEL }, (error, compressed) => {
    if (error === null && !response.headersSent) {
      response.setHeader("Content-Encoding", "gzip");
      response.setHeader("Vary", "Accept-Encoding");
    }
    answerBytes(response, code, contentType, error === null ? compressed : body);
  });
}
