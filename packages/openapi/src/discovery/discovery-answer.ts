// Answers discovery requests: chooses the document and handles ETags.

import { answerContent, COMPRESS_FROM_BYTES, Content, contentHash, JSON_TYPE } from "@orch/http-server";
import { parseAccept } from "@orch/machinery";
import {
  type ApiRequest,
  type ApiResponse,
  type DocumentForm,
  documentForm,
  jsonLine,
  protobufBytes,
} from "@orch/request";
import type { Schema } from "@orch/schema";
import { AGGREGATED_KIND, type AggregatedVersion, type DiscoveryRoot } from "./aggregated-document";
import type { DiscoverySource } from "./discovery-documents";

/**
 * @param path without a trailing slash
 * @returns false for a path without a document
 * @throws StatusError NotAcceptable (406)
 */
export async function answerDiscovery(
  discovery: DiscoverySource,
  request: ApiRequest,
  response: ApiResponse,
  path: string,
): Promise<boolean> {
  const document = discovery.find(path);
  if (document === undefined) return false;
  request.context.servedPath = path;
  const { schema } = request.context.negotiation;
  const wanted = isRoot(path) ? aggregatedForm(request.headers.accept, discovery, schema) : undefined;
  if (wanted !== undefined && isRoot(path)) {
    const aggregated = discovery.aggregated(path, wanted.version, wanted.profile);
    const content = contentOf(aggregated, wanted.contentType, wanted.bytes);
    await answerContent(request, response, content, { contentType: wanted.contentType });
    return true;
  }
  const { contentType, bytes } = documentForm(request, schema.objectType("", "v1", document.kind)?.protobuf);
  const key = request.context.pretty ? `${contentType};pretty` : contentType;
  await answerContent(request, response, contentOf(document, key, bytes), { contentType });
  return true;
}

const isRoot = (path: string): path is DiscoveryRoot => path === "/api" || path === "/apis";

interface AggregatedForm extends DocumentForm {
  readonly version: AggregatedVersion;
  readonly profile: string | undefined;
}

/** Returns the aggregated form that the client accepts; undefined when it prefers the plain one. */
function aggregatedForm(
  accept: string | undefined,
  { aggregatedVersions }: DiscoverySource,
  schema: Schema,
): AggregatedForm | undefined {
  if (accept?.includes(AGGREGATED_KIND) !== true) return undefined;
  const { groups, mediaTypes } = schema.vocabulary;
  const group = groups.apidiscovery;
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== JSON_TYPE && type !== mediaTypes.protobuf) continue;
    const as = parameters.get("as");
    if (as === undefined) return undefined;
    const version = aggregatedVersions.find((each) => each === parameters.get("v"));
    if (as !== AGGREGATED_KIND || parameters.get("g") !== group || version === undefined) continue;
    const protobuf = schema.objectType(group, version, as)?.protobuf;
    const bytes = type === JSON_TYPE ? jsonLine : (document: object) => protobufBytes(document, protobuf);
    return {
      version,
      profile: parameters.get("profile"),
      contentType: `${type};g=${group};v=${version};as=${as}`,
      bytes,
    };
  }
  return undefined;
}

/** Encoded documents by form. A document lives until the served resources change. */
const contents = new WeakMap<object, Map<string, Content>>();

function contentOf(document: object, form: string, bytesOf: (document: object) => Buffer): Content {
  const forms = contents.get(document) ?? new Map<string, Content>();
  contents.set(document, forms);
  let content = forms.get(form);
  if (content === undefined) {
    const bytes = bytesOf(document);
    content = new Content(bytes, contentHash(bytes), bytes.length >= COMPRESS_FROM_BYTES);
    forms.set(form, content);
  }
  return content;
}
