// Authorization checks. Source: staging/src/k8s.io/apiserver/pkg/cel/library/authz.go.
import { CONSTANT, type CostModel } from "../cost/cost-model";
import {
  type AuthorizerValue,
  CheckValue,
  type DecisionValue,
  GroupValue,
  type ResourceAccessCheck,
} from "../values/authorizer-value";
import { fail } from "../values/evaluation-error";
import { method, type Overload } from "./overload";

/**
 * Cost of a check, which may call an external authorizer. Source: staging/src/k8s.io/apiserver/pkg/cel/library/cost.go.
 */
const CHECK: CostModel = { run: () => 350_000, estimate: () => ({ min: 350_000, max: 350_000 }) };

const AUTHORIZER = "kubernetes.authorization.Authorizer";
const PATH = "kubernetes.authorization.PathCheck";
const GROUP = "kubernetes.authorization.GroupCheck";
const RESOURCE = "kubernetes.authorization.ResourceCheck";
const DECISION = "kubernetes.authorization.Decision";

const NAMESPACE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const ACCOUNT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const narrowed =
  (part: keyof ResourceAccessCheck) =>
  (check: CheckValue, value: string): CheckValue =>
    check.asked.kind === "resource"
      ? new CheckValue(check.authorizer, { ...check.asked, [part]: value })
      : fail("no such overload");

export const AUTHORIZATION: readonly Overload[] = [
  method(`${AUTHORIZER}.path(string): ${PATH}`, CONSTANT, (authorizer: AuthorizerValue, path: string) =>
    path.trim() === "" ? fail("path must not be empty") : new CheckValue(authorizer, { kind: "path", path }),
  ),
  method(
    `${AUTHORIZER}.group(string): ${GROUP}`,
    CONSTANT,
    (authorizer: AuthorizerValue, group: string) => new GroupValue(authorizer, group),
  ),
  method(
    `${AUTHORIZER}.serviceAccount(string, string): ${AUTHORIZER}`,
    CONSTANT,
    (authorizer: AuthorizerValue, namespace: string, name: string) => {
      if (name.length > 253 || !ACCOUNT_NAME.test(name)) return fail("Invalid service account name");
      if (!NAMESPACE_NAME.test(namespace)) return fail("Invalid service account namespace");
      return authorizer.forAccount(namespace, name);
    },
  ),
  method(`${GROUP}.resource(string): ${RESOURCE}`, CONSTANT, ({ authorizer, group }: GroupValue, resource: string) =>
    resource.trim() === ""
      ? fail("resource must not be empty")
      : new CheckValue(authorizer, { kind: "resource", group, resource, subresource: "", namespace: "", name: "" }),
  ),
  method(`${RESOURCE}.subresource(string): ${RESOURCE}`, CONSTANT, narrowed("subresource")),
  method(`${RESOURCE}.namespace(string): ${RESOURCE}`, CONSTANT, narrowed("namespace")),
  method(`${RESOURCE}.name(string): ${RESOURCE}`, CONSTANT, narrowed("name")),
  method(`${RESOURCE}.fieldSelector(string): ${RESOURCE}`, CONSTANT, narrowed("fieldSelector")),
  method(`${RESOURCE}.labelSelector(string): ${RESOURCE}`, CONSTANT, narrowed("labelSelector")),
  ...[PATH, RESOURCE].map((on) =>
    method(`${on}.check(string): ${DECISION}`, CHECK, (check: CheckValue, verb: string) => check.decide(verb)),
  ),
  method(`${DECISION}.allowed(): bool`, CONSTANT, ({ decision }: DecisionValue) => decision.allowed),
  method(`${DECISION}.reason(): string`, CONSTANT, ({ decision }: DecisionValue) => decision.reason),
  method(`${DECISION}.errored(): bool`, CONSTANT, ({ decision }: DecisionValue) => decision.error !== undefined),
  method(`${DECISION}.error(): string`, CONSTANT, ({ decision }: DecisionValue) => decision.error ?? ""),
];
