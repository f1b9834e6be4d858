// What is no object of a stored resource: discovery, the outcome of a deletion, the answer to a question. In JSON or YAML.
import { type JsonObject, yamlText } from "@orch/schema";
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

/** Of a Status: for a client that takes it in no form, the plainest one. Source: facts, errors.json "errorNegotiation". */
export function statusForm(request: ApiRequest): DocumentForm {
  const decision = request.context.negotiation.find(request.headers.accept, OFFERS.texts.document);
  return decision === undefined
    ? { contentType: request.context.negotiation.mediaTypes.json, bytes: (document) => jsonBytes(document, 2) }
    : formOf(request, decision);
}

function formOf({ context }: ApiRequest, { representation, pretty }: Decision): DocumentForm {
  const { negotiation } = context;
  if (pretty === true) context.pretty = true;
  if (representation.format === "yaml") return { contentType: negotiation.mediaTypes.yaml, bytes: yamlBytes };
  return { contentType: negotiation.mediaTypes.json, bytes: (document) => jsonBytes(document, context.pretty ? 2 : 0) };
}

const jsonBytes = (document: object, indent: number): Buffer =>
  Buffer.from(`${JSON.stringify(document, undefined, indent)}\n`);

/** Documents are plain values; a member that is undefined is left out, as JSON does. */
const yamlBytes = (document: object): Buffer =>
  Buffer.from(yamlText(JSON.parse(JSON.stringify(document)) as JsonObject));
