// Virtual resources: a create asks a question, and the object is answered with its status but not stored. Source:
// Kubernetes documentation, "Authorization Overview", SubjectAccessReview.
import { randomUUID } from "node:crypto";
import type { CredentialUse } from "@orch/auth";
import {
  type AttemptAttributes,
  invalid,
  nameOf,
  parseCreateOptions,
  type WriteOptions,
  whenAdmitted,
} from "@orch/machinery";
import {
  type ApiRequest,
  type ApiResponse,
  documentForm,
  NO_QUERY,
  type Question,
  type QuestionRequest,
} from "@orch/request";
import type { JsonObject } from "@orch/schema";
import { recordCredentialUse } from "../../pipeline/credential-use";
import type { HandlerDeps } from "../handler";
import { answerObject } from "../object-answer";
import { readObject } from "../request-object";
import { boundWrite, writeContext } from "../write-context";

/** Handles create, the only verb of these resources. */
export async function createVirtual(
  deps: HandlerDeps,
  at: { readonly request: ApiRequest; readonly response: ApiResponse; readonly info: QuestionRequest },
): Promise<void> {
  const { request, response, info } = at;
  const { route } = info;
  const { user } = request.context;
  const form = documentForm(request, route.version.type.protobuf);
  const options = parseCreateOptions(info.query ?? NO_QUERY, deps.vocabulary);
  boundWrite(at);
  const { version } = route;
  const asked = readObject(request, version, options.fieldValidation);
  const question = version.toStorage?.(asked) ?? asked;
  const { namespace } = info.key;
  const parts = attemptAttributes(at, question, options);
  const sinks = writeContext(at, options);
  const answered = await whenAdmitted(deps.admission, { sinks, parts, newUid: randomUUID }, async (object) => {
    const noted = (notes: CredentialUse) => recordCredentialUse(request, notes);
    const status = await route.answer(deps, { object, route, namespace, user, noted });
    if (status !== undefined) object["status"] = status;
    return object;
  });
  return answerObject(response, 201, form.contentType, form.bytes(version.fromStorage?.(answered) ?? answered));
}

/** Attributes of the create request; the object is not stored. */
function attemptAttributes(
  { request, info }: { readonly request: ApiRequest; readonly info: QuestionRequest },
  object: JsonObject,
  { fieldManager, fieldValidation }: WriteOptions,
): AttemptAttributes & { readonly object: JsonObject } {
  const { definition, version } = info.route;
  return {
    operation: "CREATE",
    definition,
    version,
    kind: version,
    subresource: "",
    namespace: info.key.namespace,
    name: nameOf(object),
    pathName: "",
    user: request.context.user,
    options: () => ({ kind: "CreateOptions", fieldManager, fieldValidation }),
    object,
    oldObject: undefined,
  };
}

/** Validates by the rules of the kind. @throws StatusError Invalid (422) with all errors */
export function requireValid({ object, route }: Question): void {
  const errors = route.definition.strategy.validate?.(object, route.version) ?? [];
  if (errors.length > 0) throw invalid(route.version, "", errors);
}
