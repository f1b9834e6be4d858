// A request as the expressions of policies see it: made once for all of them, and each part when it is first looked at.

import {
  AUTHENTICATED_GROUP,
  type Authorizer,
  type Decision,
  serviceAccountGroups,
  serviceAccountUserName,
} from "@orch/auth";
import {
  type AccessAsked,
  type AccessDecision,
  type AccessSubject,
  AuthorizerValue,
  type CelValue,
  CheckValue,
  dynamicValue,
} from "@orch/expressions";
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { ShownAs } from "../matching/request-bodies";
import { RequestObjects, type ShownObjects } from "../matching/request-objects";
import { isNamespaces } from "../matching/selectors";
import { toldRequest } from "../webhooks/review-request";
import type { AdmissionWorld, ObjectReader, Soon } from "../world";
import { PLACE } from "./policy-site";
import { requestTypes } from "./request-types";

const NAMESPACES = { group: "", resource: "namespaces" } as const;

export type RequestWorld = Pick<AdmissionWorld, "vocabulary" | "authorizer" | "objects" | "release" | "conversion">;

export class PolicyRequest {
  private readonly authorizer: AuthorizerValue;
  private readonly fields = new Map<ShownAs, CelValue>();
  private namespace: CelValue | undefined;

  /** @param shown its objects, where somebody shows them already */
  constructor(
    readonly request: AdmissionRequest,
    private readonly world: RequestWorld,
    private readonly shown = new RequestObjects(request, world.conversion),
  ) {
    this.authorizer = new AuthorizerValue((asked, account) => ask(world.authorizer, request, asked, account));
  }

  /** @throws StatusError */
  async objectAs(as: ShownAs): Promise<JsonObject | undefined> {
    return (await this.shown.in(as.body)).object;
  }

  /** From now on the object is this one. */
  change(object: JsonObject, as: ShownAs): void {
    this.shown.change(object, as.body);
  }

  /** As rules see it. */
  async inHub(): Promise<JsonObject | undefined> {
    return this.shown.inHub();
  }

  /** Values of all variables but `variables`, in the order of their places. @throws StatusError */
  values(as: ShownAs, params: JsonObject | undefined): Soon<CelValue[]> {
    const objects = this.shown.in(as.body);
    const namespace = this.namespaceValue();
    if (objects instanceof Promise || namespace instanceof Promise)
      return Promise.all([objects, namespace]).then(([one, other]) => this.put(as, one, other, params));
    return this.put(as, objects, namespace, params);
  }

  private put(
    as: ShownAs,
    { object, oldObject }: ShownObjects,
    namespace: CelValue,
    params: JsonObject | undefined,
  ): CelValue[] {
    const values: CelValue[] = [];
    values[PLACE.object] = celOf(object);
    values[PLACE.oldObject] = celOf(oldObject);
    values[PLACE.request] = this.fieldsAs(as, object);
    values[PLACE.namespaceObject] = namespace;
    values[PLACE.authorizer] = this.authorizer;
    values[PLACE.requestResource] = this.ownCheck();
    values[PLACE.params] = celOf(params);
    values[PLACE.variables] = null;
    return values;
  }

  private fieldsAs(as: ShownAs, object: JsonObject | undefined): CelValue {
    let fields = this.fields.get(as);
    if (fields === undefined) {
      fields = dynamicValue(toldRequest(this.request, as, object, this.world).fields);
      this.fields.set(as, fields);
    }
    return fields;
  }

  private ownCheck(): CelValue {
    const { version, definition, subresource, namespace, name } = this.request;
    const { group } = version;
    const asked = { group, resource: definition.plural, subresource, namespace, name };
    return new CheckValue(this.authorizer, { kind: "resource", ...asked });
  }

  /** null for objects of the cluster, namespaces among them. */
  private namespaceValue(): Soon<CelValue> {
    if (this.namespace !== undefined) return this.namespace;
    const { namespace: name } = this.request;
    if (name === "" || isNamespaces(this.request)) return this.keep(undefined);
    const found = namespaceOf(name, this.world.objects);
    return found instanceof Promise ? found.then((object) => this.keep(object)) : this.keep(found);
  }

  private keep(object: JsonObject | undefined): CelValue {
    const { namespace } = requestTypes(this.world.vocabulary);
    this.namespace = object === undefined ? null : namespace.adapt(object);
    return this.namespace;
  }
}

const celOf = (json: JsonValue | undefined): CelValue => (json === undefined ? null : dynamicValue(json));

function namespaceOf(name: string, objects: ObjectReader): Soon<JsonObject | undefined> {
  const at = { namespace: "", name };
  const cached = objects.cached(NAMESPACES, at);
  if (cached instanceof Promise) return cached.then((object) => object ?? objects.inStore(NAMESPACES, at));
  return cached ?? objects.inStore(NAMESPACES, at);
}

function ask(
  authorizer: Pick<Authorizer, "authorize">,
  { user: own }: AdmissionRequest,
  asked: AccessAsked & { readonly verb: string },
  account: AccessSubject,
): AccessDecision | Promise<AccessDecision> {
  const user =
    account === undefined
      ? own
      : {
          name: serviceAccountUserName(account.namespace, account.name),
          groups: [...serviceAccountGroups(account.namespace), AUTHENTICATED_GROUP],
        };
  const { verb } = asked;
  const decision =
    asked.kind === "path"
      ? authorizer.authorize({ kind: "nonResource", user, verb, path: asked.path })
      : authorizer.authorize({
          kind: "resource",
          user,
          verb,
          apiGroup: asked.group,
          apiVersion: "*",
          resource: asked.resource,
          subresource: asked.subresource,
          namespace: asked.namespace,
          name: asked.name,
        });
  return decision instanceof Promise ? decision.then(shownDecision) : shownDecision(decision);
}

function shownDecision({ kind, reason, error }: Decision): AccessDecision {
  return { allowed: kind === "allow", reason, ...(error !== undefined && { error }) };
}
