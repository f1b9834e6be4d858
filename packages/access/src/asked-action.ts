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

/** Describes the action in a sentence, such as `get pods/log in the namespace shop`. */
export function actionText(asked: AskedAction): string {
  if (asked.kind === "path") return `${asked.verb} ${asked.path}`;
  const { verb, resource, group, subresource, name, namespace } = asked;
  const type = `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
  const where = namespace === "" ? "in all namespaces" : `in the namespace ${namespace}`;
  return `${verb} ${type}${name === "" ? "" : ` ${JSON.stringify(name)}`} ${where}`;
}
