// A question about access, as the page and its address have it.
import type { AskedAction } from "@orch/access";
import { qualifiedName, type Resource } from "../discovery/resource";

export interface Question {
  readonly verb: string;
  /** Resource with its group (`deployments.apps`), its short name, with a subresource (`pods/log`), or a path (`/metrics`). */
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
}

/** Reads the question of an address. */
export function readQuestion(query: Readonly<Record<string, string>>): Question {
  const { verb = "", resource = "", sub = "", name = "", ns = "" } = query;
  return { verb, resource, subresource: sub, name, namespace: ns };
}

/** Returns the parameters of the address of a question. */
export const questionQuery = ({ verb, resource, subresource, name, namespace }: Question) => ({
  ...{ verb, resource, sub: subresource, name, ns: namespace },
});

export const isPath = ({ resource }: Pick<Question, "resource">): boolean => resource.startsWith("/");

export interface Understood {
  readonly asked: AskedAction;
  /** Whether the server serves the resource. Rules may contain others. */
  readonly isKnown: boolean;
}

/** Returns the action of a question, or undefined for a question without verb or resource. */
export function understood(question: Question, resources: readonly Resource[]): Understood | undefined {
  const { verb, name, namespace } = question;
  if (verb === "" || question.resource === "") return undefined;
  if (isPath(question)) return { asked: { kind: "path", verb, path: question.resource }, isKnown: true };
  const slash = question.resource.indexOf("/");
  const type = slash < 0 ? question.resource : question.resource.slice(0, slash);
  const subresource = question.subresource || (slash < 0 ? "" : question.resource.slice(slash + 1));
  const found = findByName(resources, type);
  const dot = type.indexOf(".");
  const place =
    found === undefined
      ? { resource: dot < 0 ? type : type.slice(0, dot), group: dot < 0 ? "" : type.slice(dot + 1) }
      : { resource: found.name, group: found.group };
  return {
    asked: {
      ...{ kind: "resource", verb, ...place, subresource, name },
      namespace: found?.isNamespaced === false ? "" : namespace,
    },
    isKnown: found !== undefined || type === "*" || UNLISTED.has(type),
  };
}

/** Resources of authorization that no discovery document lists. */
const UNLISTED = new Set(["users", "groups", "userextras", "uids"]);

function findByName(resources: readonly Resource[], text: string): Resource | undefined {
  const type = text.toLowerCase();
  return (
    resources.find((each) => qualifiedName(each) === type) ??
    resources.find(({ name, singular, kind }) => [name, singular, kind.toLowerCase()].includes(type)) ??
    resources.find(({ shortNames }) => shortNames.includes(type))
  );
}
