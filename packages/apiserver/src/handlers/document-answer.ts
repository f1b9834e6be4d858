import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { documentForm } from "./document-form";
import { answerObject } from "./object-answer";

/** @throws StatusError NotAcceptable (406) */
export function answerDocument(request: ApiRequest, response: ApiResponse, code: number, document: object): void {
  const { contentType, bytes } = documentForm(request);
  answerObject(response, code, contentType, bytes(document));
}
