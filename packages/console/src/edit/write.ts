// Writes of an edited object: a trial on the server, which stores nothing, and the write itself.
import { collectionPath, objectPath, type Resource } from "../discovery/resource";
import { json, type RequestOptions } from "../requests/api";
import { asFailure, type Failure, failureOf } from "../requests/failure";
import type { ApiObject } from "../values/api-object";

/** Name of the console as a field manager. */
export const MANAGER = "console";

export type Method = "create" | "replace" | "apply";

export interface Write {
  readonly method: Method;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The whole object; of an apply the configuration. */
  readonly body: unknown;
  /** Takes fields over from other managers; of an apply only. */
  readonly isForced: boolean;
}

/** A step of admission. Format: docs/admission.md, "Explain a decision". */
export interface AdmissionStep {
  readonly phase: string;
  readonly plugin: string;
  readonly decision: string;
  readonly message?: string;
  readonly patch?: readonly unknown[];
  readonly durationMilliseconds?: number;
}

export interface Trial {
  /** The object as it would be stored. */
  readonly object?: ApiObject;
  readonly failure?: Failure;
  /** Undefined when the user may not have admission explained. */
  readonly steps?: readonly AdmissionStep[];
}

interface Explanation {
  readonly allowed: boolean;
  readonly code: number;
  readonly object?: ApiObject;
  readonly status?: unknown;
  readonly steps?: readonly AdmissionStep[];
}

/** Tries a write, with the steps of admission where the user may see them. */
export async function tryWrite(write: Write): Promise<Trial> {
  try {
    const {
      allowed,
      code,
      object,
      status,
      steps = [],
    } = await send<Explanation>(write, {
      dryRun: "All",
      admission: "explain",
    });
    if (allowed && object !== undefined) return { object, steps };
    return { failure: failureOf(code, status), steps };
  } catch (error) {
    const failure = asFailure(error);
    // Without the permission to see the explanation, the write alone is tried.
    if (failure.code !== 403 && failure.code !== 400) return { failure };
  }
  try {
    return { object: await send<ApiObject>(write, { dryRun: "All" }) };
  } catch (error) {
    return { failure: asFailure(error) };
  }
}

/** @throws ApiFailure */
export const carryOut = (write: Write): Promise<ApiObject> => send<ApiObject>(write, {});

function send<T>(write: Write, query: Readonly<Record<string, string>>): Promise<T> {
  const { method, resource, namespace, name, body, isForced } = write;
  const path = method === "create" ? collectionPath(resource, namespace) : objectPath(resource, namespace, name);
  return json<T>(path, {
    ...METHODS[method],
    body,
    query: {
      ...query,
      fieldManager: MANAGER,
      fieldValidation: "Strict",
      force: method === "apply" && isForced ? true : undefined,
    },
  });
}

const METHODS: Readonly<Record<Method, Pick<RequestOptions, "method" | "contentType">>> = {
  create: { method: "POST" },
  replace: { method: "PUT" },
  apply: { method: "PATCH", contentType: "application/apply-patch+yaml" },
};
