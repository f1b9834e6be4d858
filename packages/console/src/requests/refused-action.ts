// The action that the server has refused, from the message of a Forbidden status: user, verb, resource, group, namespace.
import type { AskedAction } from "@orch/access";
import type { Failure } from "./failure";

/** A text in quotes, as JSON has it. */
const QUOTED = String.raw`("(?:[^"\\]|\\.)*")`;
const RESOURCE = new RegExp(
  String.raw`User ${QUOTED} cannot (\S+) resource ${QUOTED} in API group ${QUOTED} (?:at the cluster scope|in the namespace ${QUOTED})`,
);
const PATH = new RegExp(String.raw`User ${QUOTED} cannot (\S+) path ${QUOTED}`);

/** Returns undefined for failures that are no refusals of authorization, such as those of admission. */
export function refusedAction({ code, message, objectName = "" }: Failure): AskedAction | undefined {
  if (code !== 403) return undefined;
  const text = unescaped(message);
  const path = PATH.exec(text);
  if (path !== null) return { kind: "path", verb: path[2] ?? "", path: unquoted(path[3]) };
  const found = RESOURCE.exec(text);
  if (found === null) return undefined;
  const [, , verb = "", full, group, namespace] = found;
  const [resource = "", ...sub] = unquoted(full).split("/");
  return {
    ...{ kind: "resource", verb, group: unquoted(group), resource, subresource: sub.join("/") },
    ...{ name: objectName, namespace: unquoted(namespace) },
  };
}

/** The server escapes HTML in these messages. */
const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

function unquoted(text = '""'): string {
  try {
    return JSON.parse(text);
  } catch {
    return "";
  }
}
