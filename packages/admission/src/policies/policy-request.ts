// A request as the variables of policy expressions. Built once for all policies; each part is built at first use.

import {
  AUTHENTICATED_GROUP,
  type Authorizer,
  type Decision,
  requestedSelectors,
  serviceAccountGroups,
  serviceAccountUserName,
} from "@orch/auth";
import {
  type AccessCheck,
  type AccessDecision,
  type AccessSubject,
  AuthorizerValue,
  type CelValue,
  CheckValue,
  dynamicValue,
} from "@orch/expressions";
import type { AdmissionRequest, ServedVersion } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { AdmissionDependencies, MaybePromise, ObjectReader } from "../contract/dependencies";
import type { MatchedVersion } from "../requests/request-bodies";
import { RequestObjects, type VersionedObjects } from "../requests/request-objects";
import { SharedReview } from "../requests/review-request";
import { isNamespaces } from "../requests/selectors";
import { PLACE } from "./policy-site";
import { requestTypes } from "./request-types";

const NAMESPACES = { group: "", resource: "namespaces" } as const;

export type RequestDependencies = Pick<
  AdmissionDependencies,
  "vocabulary" | "authorizer" | "objects" | "release" | "conversion"
>;

export class PolicyRequest {
  private readonly authorizer: AuthorizerValue;
  /** Values keyed by the version of the objects. */
  private readonly known = new Map<ServedVersion, readonly CelValue[]>();
  /** `changes` of the objects when `known` was filled. */
  private knownOf = 0;
  private namespace: CelValue | undefined;

  /** @param shown the request's objects, when the caller has them already */
  constructor(
    readonly request: AdmissionRequest,
    private readonly dependencies: RequestDependencies,
    private readonly shown = new RequestObjects(request, dependencies.conversion),
  ) {
    this.authorizer = new AuthorizerValue((asked, account) => ask(dependencies.authorizer, request, asked, account));
  }

  /** @throws StatusError */
  async objectAs(as: MatchedVersion): Promise<JsonObject | undefined> {
    return (await this.shown.in(as.body)).object;
  }

  /** Replaces the object. */
  change(object: JsonObject, as: MatchedVersion): void {
    this.shown.change(object, as.body);
  }

  /** Returns the object in the hub version. */
  async inHub(): Promise<JsonObject | undefined> {
    return this.shown.inHub();
  }

  /**
   * Returns the values of all variables except `variables`, in the order of PLACE. They must not be changed. @throws
   * StatusError
   */
  values(as: MatchedVersion, params: JsonObject | undefined): MaybePromise<readonly CelValue[]> {
    this.forgetFormer();
    const known = this.known.get(as.version);
    if (known !== undefined) return withParams(known, params);
    const objects = this.shown.in(as.body);
    const namespace = this.namespaceValue();
    if (objects instanceof Promise || namespace instanceof Promise)
      return Promise.all([objects, namespace]).then(([one, other]) => withParams(this.made(as, one, other), params));
    return withParams(this.made(as, objects, namespace), params);
  }

  /** Drops the values when the shared objects have changed. */
  private forgetFormer(): void {
    if (this.knownOf === this.shown.changes) return;
    this.knownOf = this.shown.changes;
    this.known.clear();
  }

  private made(as: MatchedVersion, { object, oldObject }: VersionedObjects, namespace: CelValue): readonly CelValue[] {
    const { request, dependencies } = this;
    const values: CelValue[] = [];
    values[PLACE.object] = celOf(object);
    values[PLACE.oldObject] = celOf(oldObject);
    values[PLACE.request] = dynamicValue(new SharedReview(request, as, object, dependencies).fields);
    values[PLACE.namespaceObject] = namespace;
    values[PLACE.authorizer] = this.authorizer;
    values[PLACE.requestResource] = this.ownCheck();
    values[PLACE.params] = null;
    values[PLACE.variables] = null;
    this.known.set(as.version, values);
    return values;
  }

  private ownCheck(): CelValue {
    const { version, definition, subresource, namespace, name } = this.request;
    const { group } = version;
    const asked = { group, resource: definition.plural, subresource, namespace, name };
    return new CheckValue(this.authorizer, { kind: "resource", ...asked });
  }

  /** Returns null for cluster-scoped objects, namespaces included. */
  private namespaceValue(): MaybePromise<CelValue> {
    if (this.namespace !== undefined) return this.namespace;
    const { namespace: name } = this.request;
    if (name === "" || isNamespaces(this.request)) return this.keep(undefined);
    const found = namespaceOf(name, this.dependencies.objects);
    return found instanceof Promise ? found.then((object) => this.keep(object)) : this.keep(found);
  }

  private keep(object: JsonObject | undefined): CelValue {
    const { namespace } = requestTypes(this.dependencies.vocabulary);
    this.namespace = object === undefined ? null : namespace.adapt(object);
    return this.namespace;
  }
}

function withParams(values: readonly CelValue[], params: JsonObject | undefined): readonly CelValue[] {
  if (params === undefined) return values;
  const own = values.slice();
  own[PLACE.params] = dynamicValue(params);
  return own;
}

const celOf = (json: JsonValue | undefined): CelValue => (json === undefined ? null : dynamicValue(json));

function namespaceOf(name: string, objects: ObjectReader): MaybePromise<JsonObject | undefined> {
  const at = { namespace: "", name };
  const cached = objects.cached(NAMESPACES, at);
  if (cached instanceof Promise) return cached.then((object) => object ?? objects.inStore(NAMESPACES, at));
  return cached ?? objects.inStore(NAMESPACES, at);
}

function ask(
  authorizer: Pick<Authorizer, "authorize">,
  { user: own }: AdmissionRequest,
  asked: AccessCheck & { readonly verb: string },
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
  const { fieldSelector: fields = "", labelSelector: labels = "" } = asked.kind === "path" ? {} : asked;
  const selects = fields !== "" || labels !== "";
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
          selectors: selects ? () => requestedSelectors({ fields, labels }) : undefined,
        });
  return decision instanceof Promise ? decision.then(shownDecision) : shownDecision(decision);
}

function shownDecision({ kind, reason, error }: Decision): AccessDecision {
  return { allowed: kind === "allow", reason, ...(error !== undefined && { error }) };
}
