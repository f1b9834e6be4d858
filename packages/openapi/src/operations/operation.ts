// One operation of the published schema, independent of the OpenAPI version: a path and a method.
import type { GroupVersionKind, RuntimeType } from "@orch/schema";
import type { QueryParameter, QueryParameterName } from "./operation-parameters";

export type Method = "get" | "head" | "put" | "post" | "delete" | "patch" | "options";

export interface Operation {
  /** Document that contains the operation when there is one per group version, such as `apis/apps/v1`. */
  readonly document: string;
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  /** Operations that only old clients use. */
  readonly deprecated?: true;
  /** Values of the x-kubernetes extensions; undefined for discovery documents. */
  readonly marks: { readonly action: string; readonly kind: GroupVersionKind } | undefined;
  readonly placeholders: readonly Placeholder[];
  readonly query: readonly QueryParameterName[];
  /** Query parameters that only this resource has, by name. */
  readonly options?: Readonly<Record<string, QueryParameter>>;
  readonly body: { readonly type: RuntimeType; readonly required: boolean } | undefined;
  /** Type of the answer. A string for answers that are proxied. */
  readonly answer: RuntimeType;
  readonly codes: readonly number[];
  readonly answersIn: AnswerForms;
  /** A custom resource: it has no protobuf and no strategic merge patch. */
  readonly isCustom?: true;
}

/** A path parameter. */
export type Placeholder = "name" | "namespace" | "path";

/**
 * Media types of the answer.
 * `objects`: JSON, YAML and protobuf. `streams`: these, and watch streams. `documents`: JSON and YAML.
 * `text`: plain text, and for failures the types of objects. `anything`: any type of the proxied answer.
 * `lines`: one JSON document in each line. `events`: the same, or as Server-Sent Events.
 */
type AnswerForms = "objects" | "streams" | "documents" | "text" | "anything" | "lines" | "events";
