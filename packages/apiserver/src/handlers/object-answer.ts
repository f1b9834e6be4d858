// One object as an answer: its stored bytes as they are, or indented for people, or compressed when large and asked for.
import { gzip } from "node:zlib";
import type { Entry } from "@orch/registry";
import { encodeJson } from "@orch/schema";
import { answerBytes, JSON_TYPE } from "../http/answer";
import type { ApiResponse } from "../pipeline/request-context";
import { COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "./compression";
import type { ResourceRoute } from "./resource-route";

/** An object as a route shows it. */
export function shownJson({ version, subresource }: ResourceRoute, entry: Entry): Buffer {
  const view = subresource?.rules.view;
  return view === undefined ? entry.json(version) : Buffer.from(encodeJson(view.read(entry.object())));
}

export function answerObject(response: ApiResponse, code: number, json: Buffer): void {
  const body = response.req.context.pretty ? indented(json) : json;
  if (body.length <= COMPRESS_FROM_BYTES || !wantsGzip(response.req)) {
    answerBytes(response, code, JSON_TYPE, body);
    return;
  }
  gzip(body, { level: COMPRESSION_LEVEL }, (error, compressed) => {
    if (error === null && !response.headersSent) {
      response.setHeader("Content-Encoding", "gzip");
      response.setHeader("Vary", "Accept-Encoding");
    }
    answerBytes(response, code, JSON_TYPE, error === null ? compressed : body);
  });
}

function indented(json: Buffer): Buffer {
  return Buffer.from(`${JSON.stringify(JSON.parse(json.toString()), undefined, 2)}\n`);
}
