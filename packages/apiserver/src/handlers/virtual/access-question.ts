// Common parts of the three access reviews: the question in their spec, and the decision as status.
import {
  type Attributes,
  type Authorizer,
  type ExplanationScope,
  explained,
  type RequestedSelectors,
  requestedSelectors,
} from "@orch/auth";
import type { UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Decoded spec of an access review; SelfSubjectAccessReview has no `user` and no later members. */
export interface AccessSpec {
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly fieldSelector?: AskedSelector;
    readonly labelSelector?: AskedSelector;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Either the text of a selector or its requirements. */
interface AskedSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export const accessSpecOf = (object: JsonObject): AccessSpec => object["spec"] as AccessSpec;

/** Returns the user that the spec of a review names. */
export function subjectOf({ user = "", uid, groups = [], extra }: AccessSpec): UserInfo {
  return {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/**
 * @param spec spec of a valid review
 * @param scope information besides the decision that the client may receive
 */
export async function decide(
  authorizer: Authorizer,
  user: UserInfo,
  spec: AccessSpec,
  scope: ExplanationScope,
): Promise<JsonObject> {
  const attributes = attributesOf(user, spec);
  const decision = await authorizer.authorize(attributes);
  const reason = explained(authorizer, attributes, decision, scope);
  return {
    allowed: decision.kind === "allow",
    ...(decision.kind === "deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(decision.error === undefined ? {} : { evaluationError: decision.error }),
  };
}

function attributesOf(user: UserInfo, { resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes === undefined) {
    const { verb = "", path = "" } = nonResourceAttributes ?? {};
    return { kind: "nonResource", user, verb, path };
  }
  const { verb = "", group = "", version = "", resource = "" } = resourceAttributes;
  const { subresource = "", namespace = "", name = "", fieldSelector, labelSelector } = resourceAttributes;
  const place = { apiGroup: group, apiVersion: version, resource, subresource, namespace, name };
  const selects = fieldSelector !== undefined || labelSelector !== undefined;
  const selectors = selects ? () => selectorsOf(fieldSelector, labelSelector) : undefined;
  return { kind: "resource", user, verb, ...place, selectors };
}

function selectorsOf(fields: AskedSelector = {}, labels: AskedSelector = {}): RequestedSelectors {
  const parsed = requestedSelectors({ fields: fields.rawSelector ?? "", labels: labels.rawSelector ?? "" });
  return {
    fields: [...parsed.fields, ...requirementsOf(fields)],
    labels: [...parsed.labels, ...requirementsOf(labels)],
  };
}

/** Requirements with an unknown operator are left out: a client of a later release may name one. */
const requirementsOf = ({ requirements = [] }: AskedSelector): RequestedSelectors["fields"] =>
  requirements.flatMap(({ key, operator, values }) => {
    const known = OPERATORS.find((each) => each === operator);
    return known === undefined ? [] : [{ key, operator: known, ...(values !== undefined && { values }) }];
  });

const OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
