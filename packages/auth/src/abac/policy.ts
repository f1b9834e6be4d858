// Lines of an ABAC policy file. Source: Kubernetes documentation, "Using ABAC Authorization", "Policy File Format".
import {
  groupNames,
  isObject,
  type JsonObject,
  type JsonValue,
  memberOf,
  ownApiVersion,
  type Vocabulary,
} from "@orch/schema";
import { AUTHENTICATED_GROUP } from "../identity/well-known-identities";

/** A line of the file. A member that the line does not set is "". */
export interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

export interface PolicyLines {
  readonly policies: readonly Policy[];
  /** Number of lines in the form without an API version. */
  readonly unversioned: number;
}

/** A line that cannot be read as a policy. The message names the file and the line. */
class PolicyFileError extends Error {
  override readonly name = "PolicyFileError";
  readonly code = "PolicyFile";
}

/** Number of lines read per step. */
const LINES_A_STEP = 200;
/** Maximum number of characters of a line that a message shows. */
const SHOWN_MAX = 200;

/**
 * Reads the lines in steps: a file of some megabytes has tens of thousands of lines.
 * @throws PolicyFileError
 */
export function* readPolicyLines(text: string, file: string, vocabulary: Vocabulary): Generator<void, PolicyLines> {
  const policies: Policy[] = [];
  let unversioned = 0;
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end).trim();
    start = end < 0 ? text.length : end + 1;
    number += 1;
    if (number % LINES_A_STEP === 0) yield;
    if (line === "" || line.startsWith("#")) continue;
    try {
      const { policy, isVersioned } = readLine(line, vocabulary);
      for (const apiGroup of groupNames(vocabulary, policy.apiGroup)) policies.push({ ...policy, apiGroup });
      if (!isVersioned) unversioned += 1;
    } catch (error) {
      const shown = line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}...` : line;
      throw new PolicyFileError(
        `error reading policy file ${file}, line ${number}: ${shown}: ${(error as Error).message}`,
      );
    }
  }
  return { policies, unversioned };
}

const TEXTS = ["user", "group", "apiGroup", "resource", "namespace", "nonResourcePath"] as const;

function readLine(line: string, vocabulary: Vocabulary): { policy: Policy; isVersioned: boolean } {
  const object = JSON.parse(line) as JsonValue;
  if (!isObject(object)) throw new Error("it is not a JSON object");
  const [apiVersion, kind] = [memberOf(object, "apiVersion") ?? "", memberOf(object, "kind") ?? ""];
  if (apiVersion === "" && kind === "") return { policy: unversionedPolicy(fieldsOf(object)), isVersioned: false };
  const expected = `${vocabulary.groups.abacAuthorization}/v1beta1`;
  if (ownApiVersion(vocabulary, apiVersion) !== expected || kind !== "Policy")
    throw new Error(`expected kind Policy of ${expected}`);
  const spec = memberOf(object, "spec") ?? {};
  if (!isObject(spec)) throw new Error("spec: it is not a JSON object");
  return { policy: everybody(fieldsOf(spec)), isVersioned: true };
}

function fieldsOf(of: JsonObject): Policy {
  const texts = Object.fromEntries(
    TEXTS.map((name) => {
      const value = memberOf(of, name) ?? "";
      if (typeof value !== "string") throw new Error(`${name}: it is not a string`);
      return [name, value];
    }),
  ) as Record<(typeof TEXTS)[number], string>;
  const readonly = memberOf(of, "readonly") ?? false;
  if (typeof readonly !== "boolean") throw new Error("readonly: must be true or false");
  return { ...texts, readonly };
}

/** Replaces the subject `*` by the group of authenticated users. It does not include anonymous users. */
function everybody(policy: Policy): Policy {
  return policy.user === "*" || policy.group === "*" ? { ...policy, user: "", group: AUTHENTICATED_GROUP } : policy;
}

/**
 * Converts a line without an API version. That form has no API groups and no paths: a restriction that it leaves out
 * allows everything.
 */
function unversionedPolicy(policy: Policy): Policy {
  const { user, group, namespace, resource } = policy;
  const isAnybody = user === "" && group === "";
  return everybody({
    ...policy,
    ...(isAnybody ? { group: AUTHENTICATED_GROUP } : {}),
    apiGroup: "*",
    namespace: namespace || "*",
    resource: resource || "*",
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  });
}
