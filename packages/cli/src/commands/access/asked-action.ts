// Reads the action of an authorization question from arguments. Source: kubectl/pkg/cmd/auth/cani.go.
import { type AskedAction, PATH_VERBS, RESOURCE_VERBS } from "@orch/access";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";

export interface ActionOptions {
  readonly subresource?: string;
  readonly allNamespaces?: boolean;
}

/** Resources of authorization that no discovery document lists. */
const UNLISTED = new Set(["users", "groups"]);

/**
 * Returns the action of arguments. Unknown verbs and resources are warned about, because rules may contain any.
 * @param keepsNamespace keeps the namespace of actions on resources without namespaces, as kubectl does
 * @param words VERB TYPE, VERB TYPE/NAME, VERB TYPE NAME or VERB /PATH
 */
export async function askedAction(
  session: Session,
  words: readonly string[],
  { subresource = "", allNamespaces = false, keepsNamespace }: ActionOptions & { readonly keepsNamespace?: boolean },
): Promise<AskedAction> {
  const [verb = "", what = "", ...names] = words;
  if (what.startsWith("/")) {
    if (subresource !== "") throw new CliError("--subresource can not be used with NonResourceURL");
    if (!PATH_VERBS.includes(verb)) session.warn(`verb '${verb}' is not a known verb`);
    return { kind: "path", verb, path: what };
  }
  const slash = what.indexOf("/");
  const type = slash === -1 ? what : what.slice(0, slash);
  const name = names[0] ?? (slash === -1 ? "" : what.slice(slash + 1));
  const found = await resourceOf(session, type);
  const isOutside = found.namespaced === false && keepsNamespace !== true;
  const namespace = allNamespaces || isOutside ? "" : session.namespace;
  if (found.namespaced === false && !allNamespaces && !isOutside) {
    const inGroup = found.group === "" ? "" : ` in group '${found.group}'`;
    session.warn(`resource '${found.resource}' is not namespace scoped${inGroup}`);
  }
  if (!RESOURCE_VERBS.includes(verb)) session.warn(`verb '${verb}' is not a known verb`);
  const { group, resource } = found;
  return { kind: "resource", verb, group, resource, subresource, name, namespace };
}

interface Found {
  readonly group: string;
  readonly resource: string;
  /** Absent when the server does not have the resource. */
  readonly namespaced?: boolean;
}

async function resourceOf(session: Session, type: string): Promise<Found> {
  if (type === "*") return { group: "", resource: "*" };
  try {
    return await (await session.catalog()).forName(type.toLowerCase());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (!UNLISTED.has(type)) {
      const dot = type.indexOf(".");
      const inGroup = dot === -1 ? "" : ` in group '${type.slice(dot + 1)}'`;
      session.warn(
        `the server doesn't have a resource type '${dot === -1 ? type : type.slice(0, dot)}'${inGroup}${likely(error)}`,
      );
    }
    return { group: "", resource: type };
  }
}

/** Returns the suggestion of a message, such as ` (did you mean "pods"?)`. */
const likely = ({ message }: Error): string => / \(did you mean .*\)$/.exec(message)?.[0] ?? "";
