// What is no object of a stored resource: discovery, the outcome of a deletion, the answer to a question. In JSON or YAML, and in
// protobuf what has a kind that is known before.
import { type JsonObject, type ProtobufForm, readJson, writeJson, yamlText } from "@orch/schema";
import type { ApiRequest } from "../pipeline/request-context";
import { type Decision, OFFERS } from "./content-negotiation";

export interface DocumentForm {
  readonly contentType: string;
  bytes(document: object): Buffer;
}

/**
 * @param protobuf of the document's kind; undefined where it has none
 * @throws StatusError NotAcceptable (406)
 */
export function documentForm(request: ApiRequest, protobuf: ProtobufForm | undefined): DocumentForm {
  const { texts, withProtobuf } = OFFERS;
  const { document } = protobuf === undefined ? texts : withProtobuf;
  return formOf(request, request.context.negotiation.require(request.headers.accept, document), protobuf);
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
      return { contentType: mediaTypes.protobuf, bytes: (document) => protobufBytes(document, protobuf) };
  }
}

/** @throws Error without a form: a client is only offered what there is */
export function protobufBytes(document: object, form: ProtobufForm | undefined): Buffer {
  if (form === undefined) throw new Error("protobuf was offered for a document that has no such form");
  return form.encode(document as JsonObject);
}

export const jsonLine = (document: object): Buffer => jsonBytes(document, 0);

const jsonBytes = (document: object, indent: number): Buffer =>
  Buffer.from(`${writeJson(document as JsonObject, " ".repeat(indent))}\n`);

/** Documents are plain values; a member that is undefined is left out, as JSON does. */
const yamlBytes = (document: object): Buffer => Buffer.from(yamlText(readJson(writeJson(document as JsonObject))));
