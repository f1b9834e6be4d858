// Resources that store nothing: a create asks a question, the object comes back with its status filled in. Source: facts,
// strategy.json "_createOnlyReviews".
import type { Authenticator, Authorizer } from "@orch/auth";
import { type AdmissionRequest, invalid, nameOf, parseCreateOptions, type UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ApiRequest, ApiResponse } from "../../pipeline/request-context";
import type { QuestionRequest } from "../../pipeline/request-info";
import { documentForm } from "../document-form";
import { type HandlerDeps, NO_QUERY } from "../handler";
import { answerObject } from "../object-answer";
import { readObject } from "../request-object";
import type { VirtualRoute } from "../resource-route";
import { boundWrite } from "../write-context";

/** What the answers are made from. */
export interface VirtualDeps {
  readonly authorizer: Authorizer;
  /** Bearer tokens alone; undefined where the server takes none. */
  readonly tokens: Authenticator | undefined;
}

export interface Question {
  /** Decoded, in the newest version of its kind. */
  readonly object: JsonObject;
  readonly route: VirtualRoute;
  /** Of the path; "" at the cluster scope. */
  readonly namespace: string;
  /** Who asks. */
  readonly user: UserInfo;
}

/** @returns the status; undefined to leave the object as it is. @throws StatusError for a question that breaks rules */
export type VirtualHandler = (
  deps: VirtualDeps,
  question: Question,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** The one verb of these resources. */
export async function createVirtual(
  deps: HandlerDeps,
  at: { readonly request: ApiRequest; readonly response: ApiResponse; readonly info: QuestionRequest },
): Promise<void> {
  const { request, response, info } = at;
  const { route } = info;
  const { context } = request;
  const form = documentForm(request, route.version.type.protobuf);
  const options = parseCreateOptions(info.query ?? NO_QUERY, deps.vocabulary);
  if (options.dryRun) context.dryRun = "All";
  boundWrite(at);
  const { version } = route;
  const asked = await readObject(request, version, options.fieldValidation);
  const object = version.toStorage?.(asked) ?? asked;
  const { namespace } = info.key;
  await admit(deps, { request, info }, object, options);
  const status = await route.answer(deps, { object, route, namespace, user: context.user });
  if (status !== undefined) object["status"] = status;
  return answerObject(response, 201, form.contentType, form.bytes(version.fromStorage?.(object) ?? object));
}

/** As whatever is created, though it is stored nowhere. @throws StatusError what a plugin refuses with */
async function admit(
  { admission }: HandlerDeps,
  { request, info }: { readonly request: ApiRequest; readonly info: QuestionRequest },
  object: JsonObject,
  { dryRun }: { readonly dryRun: boolean },
): Promise<void> {
  const { context } = request;
  const asked: AdmissionRequest = {
    operation: "CREATE",
    definition: info.route.definition,
    version: info.route.version,
    subresource: "",
    namespace: info.key.namespace,
    name: nameOf(object),
    pathName: "",
    user: context.user,
    dryRun,
    object,
    premises: [],
    warn: (text) => context.warn(text),
  };
  await admission.mutate(asked);
  await admission.validate(asked);
}

/** By the rules of the kind. @throws StatusError Invalid (422) that lists all breaches */
export function requireValid({ object, route }: Question): void {
  const errors = route.definition.strategy.validate?.(object, route.version) ?? [];
  if (errors.length > 0) throw invalid(route.version, "", errors);
}
