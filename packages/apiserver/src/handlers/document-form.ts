// What is no object of a stored resource: discovery, the outcome of a deletion, the answer to a question. In JSON or YAML, and in
// protobuf what has a kind that is known before.
import type { ServedVersion } from "@orch/machinery";
import { type JsonObject, type ProtobufForm, yamlText } from "@orch/schema";
import type { ApiRequest } from "../pipeline/request-context";
import { type Decision, OFFERS } from "./content-negotiation";

export interface DocumentForm {
  readonly contentType: string;
  bytes(document: object): Buffer;
}

/** @throws StatusError NotAcceptable (406) */
export function documentForm(request: ApiRequest): DocumentForm {
  return formOf(request, request.context.negotiation.require(request.headers.accept, OFFERS.texts.document));
}

/**
 * Of an object that is not stored. @param version what it is of
 * @throws StatusError NotAcceptable (406)
 */
export function unstoredForm(request: ApiRequest, { type }: ServedVersion): DocumentForm {
  const { texts, withProtobuf } = OFFERS;
  const { document } = type.protobuf === undefined ? texts : withProtobuf;
  return formOf(request, request.context.negotiation.require(request.headers.accept, document), type.protobuf);
}

/** Of a Status: for a client that takes it in no form, the plainest one. Source: facts, errors.json "errorNegotiation". */
export function statusForm(request: ApiRequest): DocumentForm {
  const { negotiation } = request.context;
  const decision = negotiation.find(request.headers.accept, OFFERS.withProtobuf.document);
  return decision === undefined
    ? plainestForm(request)
    : formOf(request, decision, negotiation.schema.objectType("", "v1", "Status")?.protobuf);
}

/** Of what is told to everybody: indented text, in JSON for clients that do not ask for YAML. */
export function plainForm(request: ApiRequest): DocumentForm {
  const { negotiation } = request.context;
  const decision = negotiation.find(request.headers.accept, OFFERS.texts.document);
  return decision?.representation.format === "yaml" ? formOf(request, decision) : plainestForm(request);
}

const plainestForm = ({ context }: ApiRequest): DocumentForm => ({
  contentType: context.negotiation.mediaTypes.json,
  bytes: (document) => jsonBytes(document, 2),
});

/** @param protobuf of the document's kind; may be absent where protobuf was not offered */
function formOf({ context }: ApiRequest, { representation, pretty }: Decision, protobuf?: ProtobufForm): DocumentForm {
  const { mediaTypes } = context.negotiation;
  if (pretty === true) context.pretty = true;
  switch (representation.format) {
    case "json":
      return { contentType: mediaTypes.json, bytes: (document) => jsonBytes(document, context.pretty ? 2 : 0) };
    case "yaml":
      return { contentType: mediaTypes.yaml, bytes: yamlBytes };
    case "protobuf":
      if (protobuf === undefined) throw new Error("protobuf was offered for a document that has no such form");
      return { contentType: mediaTypes.protobuf, bytes: (document) => protobuf.encode(document as JsonObject) };
  }
}

const jsonBytes = (document: object, indent: number): Buffer =>
  Buffer.from(`${JSON.stringify(document, undefined, indent)}\n`);

/** Documents are plain values; a member that is undefined is left out, as JSON does. */
const yamlBytes = (document: object): Buffer =>
  Buffer.from(yamlText(JSON.parse(JSON.stringify(document)) as JsonObject));
