// Answers of discovery: which of a path's documents the client wants, and whether it has it already.
import { gzipSync } from "node:zlib";
import type { Vocabulary } from "@orch/schema";
import { parseAccept } from "../handlers/accept-header";
import { COMPRESS_FROM_BYTES } from "../handlers/compression";
import { documentForm } from "../handlers/document-form";
import { JSON_TYPE } from "../http/answer";
import { answerContent, type Content, contentHash } from "../http/content-answer";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { AGGREGATED_KIND, type AggregatedVersion, type DiscoveryRoot } from "./aggregated-document";
import type { Discovery } from "./discovery-documents";

/**
 * @param path without a slash at its end
 * @returns false for a path that has no document
 * @throws StatusError NotAcceptable (406)
 */
export function answerDiscovery(
  discovery: Discovery,
  request: ApiRequest,
  response: ApiResponse,
  path: string,
): boolean {
  const document = discovery.find(path);
  if (document === undefined) return false;
  request.context.servedPath = path;
  const { vocabulary } = discovery;
  const version = isRoot(path) ? aggregatedVersion(request.headers.accept, vocabulary) : undefined;
  if (version !== undefined && isRoot(path)) {
    const aggregated = discovery.aggregated(path, version);
    const bytes = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
    const contentType = `${JSON_TYPE};g=${vocabulary.groups.apidiscovery};v=${version};as=${AGGREGATED_KIND}`;
    answerContent(request, response, contentOf(aggregated, JSON_TYPE, bytes), { contentType });
    return true;
  }
  const { contentType, bytes } = documentForm(request);
  const key = request.context.pretty ? `${contentType};pretty` : contentType;
  answerContent(request, response, contentOf(document, key, bytes), { contentType });
  return true;
}

const isRoot = (path: string): path is DiscoveryRoot => path === "/api" || path === "/apis";

/** The version of the aggregated document that the client prefers to the plain one; undefined when it prefers that. */
function aggregatedVersion(accept: string | undefined, vocabulary: Vocabulary): AggregatedVersion | undefined {
  if (accept?.includes(AGGREGATED_KIND) !== true) return undefined;
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== JSON_TYPE) continue;
    const as = parameters.get("as");
    if (as === undefined) return undefined;
    const version = parameters.get("v");
    const isOurs = as === AGGREGATED_KIND && parameters.get("g") === vocabulary.groups.apidiscovery;
    if (isOurs && (version === "v2" || version === "v2beta1")) return version;
  }
  return undefined;
}

/** Bytes of a document by their form; documents live until something else is served. */
const contents = new WeakMap<object, Map<string, Content>>();

function contentOf(document: object, form: string, bytesOf: (document: object) => Buffer): Content {
  const forms = contents.get(document) ?? new Map<string, Content>();
  contents.set(document, forms);
  let content = forms.get(form);
  if (content === undefined) {
    const bytes = bytesOf(document);
    const gzipped = bytes.length < COMPRESS_FROM_BYTES ? {} : { gzipped: gzipSync(bytes) };
    content = { bytes, hash: contentHash(bytes), ...gzipped };
    forms.set(form, content);
  }
  return content;
}
