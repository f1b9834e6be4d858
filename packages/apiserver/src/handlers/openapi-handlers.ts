// `/openapi/v2`, `/openapi/v3` and the documents under it. Source: Kubernetes documentation, "The Kubernetes API",
// "OpenAPI interface definition".

import { answerBytes, answerContent, answerKnown, IMMUTABLE, JSON_TYPE } from "@orch/http-server";
import { NOT_ACCEPTABLE_TEXT, notAcceptable, parseAccept, routerNotFound } from "@orch/machinery";
import { type Form, type SchemaSource, version3Url } from "@orch/openapi";
import type { ApiRequest } from "@orch/request";
import { type OpenapiVersion, otherClientHint } from "@orch/schema";
import type { PathHandler } from "./dispatch";

interface ProtobufType {
  readonly asked: string;
  /** Content-Type of the answer. An @ is not allowed in a media type, and clients that parse the header reject it. */
  readonly answered: string;
}

const PROTOBUF_TYPES: Readonly<Record<OpenapiVersion, ProtobufType>> = {
  v2: protobufType("application/com.github.proto-openapi.spec.v2"),
  v3: protobufType("application/com.github.proto-openapi.spec.v3"),
};

function protobufType(name: string): ProtobufType {
  return { asked: `${name}@v1.0+protobuf`, answered: `${name}.v1.0+protobuf` };
}

export function version2Handler(schema: SchemaSource): PathHandler {
  return async (request, response) => {
    requireOwnClient(request);
    const form = formFor(request, "v2");
    const document = schema.version2(form);
    const options = { contentType: contentType(form, "v2") };
    const hash = document.hash();
    if (hash !== undefined && answerKnown(request, response, { hash, compresses: true }, options)) return;
    await answerContent(request, response, await document.content(), options);
  };
}

export function version3IndexHandler(schema: SchemaSource): PathHandler {
  return async (request, response) => {
    const clauses = parseAccept(request.headers.accept || "*/*");
    if (!clauses.some(({ type }) => JSON_RANGES.has(type)))
      throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes([JSON_TYPE]));
    await answerContent(request, response, await schema.version3Index(), { contentType: JSON_TYPE });
  };
}

const VERSION_3_ROOT = "/openapi/v3/";

/** Returns the document name of a request path. @param path of the request @returns the name, such as `apis/apps/v1` */
export const version3Name = (path: string): string => path.slice(VERSION_3_ROOT.length).replace(/\/$/, "");

/** Serves one document. A document at the address with its hash is cacheable forever. */
export function version3Handler(schema: SchemaSource): PathHandler {
  return async (request, response) => {
    requireOwnClient(request);
    const form = formFor(request, "v3");
    const { path, query } = request.context.info;
    const name = version3Name(path);
    const document = await schema.version3Document(name, form);
    if (document === undefined) throw routerNotFound();
    const { hash, tag } = document;
    const asked = query?.get("hash") ?? undefined;
    if (asked !== undefined && asked !== hash) {
      response.setHeader("Location", version3Url(name, hash));
      answerBytes(response, 301, JSON_TYPE, Buffer.alloc(0));
      return;
    }
    const options = {
      contentType: contentType(form, "v3"),
      ...(asked === undefined ? {} : { cacheControl: IMMUTABLE }),
    };
    if (answerKnown(request, response, { hash: tag, compresses: true }, options)) return;
    await answerContent(request, response, await document.content(), options);
  };
}

/**
 * Refuses clients that explain fields by names that this server does not publish.
 * @throws StatusError NotFound (404)
 */
function requireOwnClient({ context, headers }: ApiRequest): void {
  const hint = otherClientHint(context.negotiation.schema.vocabulary, headers, "explain");
  if (hint === undefined) return;
  // kubectl replaces the message of this answer by its own, and prints warnings.
  context.warn(hint);
  throw routerNotFound(hint);
}

const contentType = (form: Form, version: OpenapiVersion) =>
  form === "json" ? JSON_TYPE : PROTOBUF_TYPES[version].answered;

/** @throws StatusError NotAcceptable (406) */
function formFor(request: ApiRequest, version: OpenapiVersion): Form {
  const { asked, answered } = PROTOBUF_TYPES[version];
  for (const { type } of parseAccept(request.headers.accept || "*/*")) {
    if (type === asked || type === answered) return "protobuf";
    if (JSON_RANGES.has(type)) return "json";
  }
  throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes([JSON_TYPE, asked]));
}

const JSON_RANGES: ReadonlySet<string> = new Set([JSON_TYPE, "application/*", "*/*"]);
