// Operations of the discovery documents.
import type { GroupVersion } from "@orch/machinery";
import type { RuntimeType } from "@orch/schema";
import { knownType, META } from "./meta-types";
import type { Operation } from "./operation";
import { capitalized, groupPart, groupWords, joined, type OperationNaming, pathOf, tagOf } from "./operation-names";

/** @param served group versions, each once */
export function discoveryOperations(served: readonly GroupVersion[], naming: OperationNaming): readonly Operation[] {
  const { schema } = naming;
  const document = (path: string, operationId: string, tag: string, answer: RuntimeType): Operation => ({
    document: path.slice(1, -1),
    path,
    method: "get",
    operationId,
    summary: `Lists what is served under ${path}`,
    tag,
    marks: undefined,
    placeholders: [],
    query: [],
    body: undefined,
    answer,
    codes: [200],
    answersIn: "objects",
  });
  const meta = (kind: string) => knownType(schema, META, kind);
  const named = [...new Set(served.map(({ group }) => group))].filter((group) => group !== "");
  return [
    document("/api/", "getCoreAPIVersions", "core", meta("APIVersions")),
    document("/apis/", "getAPIVersions", "apis", meta("APIGroupList")),
    {
      ...document("/version/", "getCodeVersion", "version", knownType(schema, "version", "Info")),
      summary: "Returns the version of the server and of its build.",
      answersIn: "documents",
    },
    ...named.map((group) => {
      const words = groupWords(group, naming.productSuffix);
      const name = words.map(capitalized).join("");
      return document(`/apis/${group}/`, `get${name}APIGroup`, joined(words), meta("APIGroup"));
    }),
    ...served.map((version) => {
      const id = `get${groupPart(version, naming)}APIResources`;
      return document(`${pathOf(version)}/`, id, tagOf(version, naming), meta("APIResourceList"));
    }),
  ];
}
