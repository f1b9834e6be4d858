// May they. Source: facts, errors.json "ForbiddenAuthz".
import { type Attributes, type Authorizer, type Decision, forbiddenRequest } from "@orch/auth";
import type { ApiRequest, Middleware } from "./request-context";

export function authorization(deps: { readonly authorizer: Authorizer }): Middleware {
  const { authorizer } = deps;
  return (request, _response, next) => {
    const attributes = attributesOf(request);
    const decision = authorizer.authorize(attributes);
    if (!(decision instanceof Promise)) {
      settle(attributes, decision);
      next();
      return;
    }
    decision.then((late) => settle(attributes, late)).then(() => next(), next);
  };
}

function settle(attributes: Attributes, decision: Decision): void {
  if (decision.kind !== "allow") throw forbiddenRequest(attributes, decision.reason);
}

function attributesOf(request: ApiRequest): Attributes {
  const { info, user } = request.context;
  if (!info.isResource) return { kind: "nonResource", user, verb: info.verb, path: info.path };
  return {
    kind: "resource",
    user,
    verb: info.verb,
    apiGroup: info.group,
    apiVersion: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  };
}
