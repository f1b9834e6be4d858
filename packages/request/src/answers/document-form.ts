// Representations of answers that are not stored objects: discovery, the Status of a deletion, reviews. JSON, YAML or
// CBOR, and protobuf for kinds of the recorded schema.
import { cborDocument, type JsonObject, type ProtobufForm, readJson, writeJson, yamlText } from "@orch/schema";
import { type Decision, OFFERS } from "../representations/content-negotiation";
import type { ApiRequest } from "../request/request-context";

export interface DocumentForm {
  readonly contentType: string;
  bytes(document: object): Buffer;
}

/** @param protobuf of the document's kind; undefined when it has none @throws StatusError NotAcceptable (406) */
export function documentForm(request: ApiRequest, protobuf: ProtobufForm | undefined): DocumentForm {
  const { texts, withProtobuf } = OFFERS;
  const { document } = protobuf === undefined ? texts : withProtobuf;
  return formOf(request, request.context.negotiation.require(request.headers.accept, document), protobuf);
}

/**
 * Representation of a Status. A client that accepts none of its forms gets JSON. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
 */
export function statusForm(request: ApiRequest): DocumentForm {
  const { negotiation } = request.context;
  const decision = negotiation.find(request.headers.accept, OFFERS.withProtobuf.document);
  return decision === undefined
    ? plainestForm(request)
    : formOf(request, decision, negotiation.schema.objectType("", "v1", "Status")?.protobuf);
}

/** Representation of public documents: indented, as YAML for clients that ask for it and as JSON otherwise. */
export function plainForm(request: ApiRequest): DocumentForm {
  const { negotiation } = request.context;
  const decision = negotiation.find(request.headers.accept, OFFERS.texts.document);
  return decision?.representation.format === "yaml" ? formOf(request, decision) : plainestForm(request);
}

const plainestForm = ({ context }: ApiRequest): DocumentForm => ({
  contentType: context.negotiation.mediaTypes.json,
  bytes: (document) => jsonBytes(document, 2),
});

/** @param protobuf of the document's kind; may be absent when protobuf was not offered */
function formOf({ context }: ApiRequest, { representation, pretty }: Decision, protobuf?: ProtobufForm): DocumentForm {
  const { mediaTypes } = context.negotiation;
  if (pretty === true) context.pretty = true;
  switch (representation.format) {
    case "json":
      return { contentType: mediaTypes.json, bytes: (document) => jsonBytes(document, context.pretty ? 2 : 0) };
    case "yaml":
      return { contentType: mediaTypes.yaml, bytes: yamlBytes };
    case "cbor":
      return { contentType: mediaTypes.cbor, bytes: cborBytes };
    case "protobuf":
      return { contentType: mediaTypes.protobuf, bytes: (document) => protobufBytes(document, protobuf) };
  }
}

/** @throws Error without a form, which is never offered */
export function protobufBytes(document: object, form: ProtobufForm | undefined): Buffer {
  if (form === undefined) throw new Error("the document has no protobuf form");
  return form.encode(document as JsonObject);
}

export const jsonLine = (document: object): Buffer => jsonBytes(document, 0);

const jsonBytes = (document: object, indent: number): Buffer =>
  Buffer.from(`${writeJson(document as JsonObject, " ".repeat(indent))}\n`);

const cborBytes = (document: object): Buffer => cborDocument(readJson(writeJson(document as JsonObject)));

/** Documents are plain values. Undefined members are left out, as in JSON. */
const yamlBytes = (document: object): Buffer => Buffer.from(yamlText(readJson(writeJson(document as JsonObject))));
