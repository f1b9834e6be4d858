// The action of an authorization question: a verb, and a resource with a name, or a URL path. Source:
// kubectl/pkg/cmd/auth/cani.go.

export type AskedAction = AskedResource | AskedPath;

export interface AskedResource {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** "" for all objects. */
  readonly name: string;
  /** "" for all namespaces, and for resources without namespaces. */
  readonly namespace: string;
}

interface AskedPath {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

/** Known verbs. Rules may contain any. */
export const RESOURCE_VERBS: readonly string[] =
  "get list watch create update patch delete deletecollection use bind impersonate * approve sign escalate attest".split(
    " ",
  );
export const PATH_VERBS: readonly string[] = "get put post head options delete patch *".split(" ");

/** Returns the attributes of a review. */
export function reviewAttributes(asked: AskedAction): object {
  if (asked.kind === "path") return { nonResourceAttributes: { verb: asked.verb, path: asked.path } };
  const { kind: _, ...attributes } = asked;
  return { resourceAttributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== "")) };
}

/** Returns the action on all objects of a resource. @param namespace "" for all namespaces */
export const resourceAction = (
  verb: string,
  { group, resource }: Pick<AskedResource, "group" | "resource">,
  namespace = "",
): AskedResource => ({ kind: "resource", verb, group, resource, subresource: "", name: "", namespace });

/** Returns resource, group and subresource, such as `deployments.apps/scale`. */
export const typeName = ({
  resource,
  group,
  subresource,
}: Pick<AskedResource, "resource" | "group" | "subresource">): string =>
  `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;

/** Describes the action in a sentence, such as `get pods/log in the namespace shop`. */
export function actionText(asked: AskedAction): string {
  if (asked.kind === "path") return `${asked.verb} ${asked.path}`;
  const { verb, name, namespace } = asked;
  const where = namespace === "" ? "in all namespaces" : `in the namespace ${namespace}`;
  return `${verb} ${typeName(asked)}${name === "" ? "" : ` ${JSON.stringify(name)}`} ${where}`;
}
