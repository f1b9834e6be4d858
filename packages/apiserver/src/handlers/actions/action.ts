// Actions: objects that are created under the path of another object and not stored, such as an eviction, a binding or
// a rollback.
import {
  BAD_REQUEST_TEXT,
  badRequest,
  field,
  invalid,
  metaOf,
  parseApiVersion,
  parseCreateOptions,
  successStatus,
  writableMeta,
} from "@orch/machinery";
import type { ObjectKey } from "@orch/registry";
import {
  type ActionRequest as ActionInfo,
  type ActionRoute,
  type ApiRequest,
  type ApiResponse,
  documentForm,
  NO_QUERY,
  statusForm,
} from "@orch/request";
import type { JsonObject } from "@orch/schema";
import type { WriteDeps } from "../handler";
import { answerObject } from "../object-answer";
import { readObject } from "../request-object";
import { boundWrite, writeContext } from "../write-context";

/** Handles create, the only verb of actions. */
export async function createAction(
  deps: WriteDeps,
  asked: {
    readonly request: ApiRequest;
    readonly response: ApiResponse;
    readonly info: ActionInfo;
  },
): Promise<void> {
  const { request, response, info } = asked;
  const { route } = info;
  const { answers } = route.action;
  const form = answers === undefined ? statusForm(request) : documentForm(request, answers.type.protobuf);
  const options = parseCreateOptions(info.query ?? NO_QUERY, deps.vocabulary);
  boundWrite(asked);
  const others = route.action.bodies(route.version);
  const body = readObject(request, route.bodies, options.fieldValidation, others);
  route.action.fill?.(body);
  const key = placed(body, info);
  const { storage, definition, subresource = { name: "" } } = route;
  const write = { ...writeContext(asked, options), subresource, definition, admitted: true } as const;
  const answer = await storage.admitAction(body, key, write, (admitted) => {
    requireValid(admitted, route, key);
    return route.act({ body: admitted, key, storage, write });
  });
  if (answer !== undefined) return answerObject(response, 201, form.contentType, form.bytes(answer));
  const status = successStatus(201);
  request.context.success = status;
  return answerObject(response, 201, form.contentType, form.bytes(status));
}

/** The body must agree with the path; when the path has no name, the body must have it. */
function placed(body: JsonObject, info: ActionInfo): ObjectKey {
  const { route, key } = info;
  const { namespace = "" } = metaOf(body);
  if (route.action.unnamed !== true && namespace !== "" && namespace !== key.namespace)
    throw badRequest(BAD_REQUEST_TEXT.namespaceMismatch());
  const { unnamed } = route.action;
  if (unnamed !== undefined) {
    if (unnamed === "orSame") requireSame(metaOf(body).name ?? "", info);
    return key;
  }
  if ("metadata" in body) writableMeta(body)["namespace"] = key.namespace;
  // A DeploymentRollback has no metadata; its name member is that of the deployment.
  const named = body["name"] ?? metaOf(body).name ?? "";
  const name = typeof named === "string" ? named : "";
  if (route.subresource === undefined) {
    if (name === "") throw badRequest(BAD_REQUEST_TEXT.emptyName());
    return { ...key, name };
  }
  if (name !== key.name) throw badRequest(`name in URL does not match name in ${route.bodies.kind} object`);
  return key;
}

/** Requires the name of the target, or none. */
function requireSame(name: string, { route, key }: ActionInfo): void {
  if (name === "" || name === key.name) return;
  const detail = "must match the service account name if specified";
  throw invalid(route.bodies, key.name, [field.invalid("metadata.name", name, detail)]);
}

function requireValid(body: JsonObject, { action, bodies }: ActionRoute, { name }: ObjectKey): void {
  const errors = action.validate?.(body, parseApiVersion(String(body["apiVersion"])) ?? bodies) ?? [];
  if (errors.length > 0) throw invalid(bodies, action.unnamed === undefined ? name : "", errors);
}
