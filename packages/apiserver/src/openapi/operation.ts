// What can be asked of the server, in the words of a published schema document: one value a path and method, in no version's form.
import type { GroupVersionKind, RuntimeType } from "@orch/schema";
import type { QueryParameter, QueryParameterName } from "./operation-parameters";

export type Method = "get" | "head" | "put" | "post" | "delete" | "patch" | "options";

export interface Operation {
  /** Of the document that it stands in where there is one for each group version, such as `apis/apps/v1`. */
  readonly document: string;
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  /** Asked by clients of former times only. */
  readonly deprecated?: true;
  /** What is done and to what, as clients of the field read it; none for the documents of discovery. */
  readonly marks: { readonly action: string; readonly kind: GroupVersionKind } | undefined;
  readonly placeholders: readonly Placeholder[];
  readonly query: readonly QueryParameterName[];
  /** What the query may hold that no other resource's requests have, by name. */
  readonly options?: Readonly<Record<string, QueryParameter>>;
  readonly body: { readonly type: RuntimeType; readonly required: boolean } | undefined;
  /** A plain string for what is passed on from elsewhere. */
  readonly answer: RuntimeType;
  readonly codes: readonly number[];
  readonly answersIn: AnswerForms;
  /** Of a kind that users have defined: it has no protobuf, and no rules for strategic merging. */
  readonly isCustom?: true;
}

/** In the path. */
export type Placeholder = "name" | "namespace" | "path";

/**
 * `objects`: JSON, YAML and protobuf. `streams`: these, and streams of changes. `documents`: JSON and YAML.
 * `text`: plain text, and for failures the forms of objects. `anything`: whatever the request is passed on to answers with.
 */
export type AnswerForms = "objects" | "streams" | "documents" | "text" | "anything";
