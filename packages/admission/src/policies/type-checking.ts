// Doubts about a policy's expressions, by the types of the kinds that it names: for whoever wrote it, in its status. A policy with doubts is
// in force all the same. Source: the field's type checking of ValidatingAdmissionPolicy.
import { DYN, recordType } from "@orch/expressions";
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type Compiled, type CompiledPolicy, policySteps } from "./policy-compilation";
import type { ValidatingPolicySpec } from "./policy-objects";

export interface TypeCheckingParts {
  readonly vocabulary: Vocabulary;
  /** Of all resources that are served. */
  readonly definitions: readonly ResourceDefinition[];
}

/** Of the kinds that a policy names, so many are looked at. */
const KINDS_MAX = 10;

/** Takes some milliseconds a step. @returns `status.typeChecking` */
export function* typeCheckingSteps(
  spec: ValidatingPolicySpec,
  { vocabulary, definitions }: TypeCheckingParts,
): Generator<undefined, JsonObject> {
  const { apiVersion, kind } = spec.paramKind ?? {};
  const param = definitions
    .flatMap(({ versions }) => versions)
    .find((version) => version.apiVersion === apiVersion && version.kind === kind);
  const params = param === undefined ? DYN : recordType(param.type.struct);
  const doubts = new Map<string, string[]>();
  for (const version of kindsOf(spec, definitions)) {
    const types = { object: recordType(version.type.struct), params };
    const compiled = yield* policySteps(spec, { vocabulary, types });
    for (const [fieldRef, doubt] of doubtsOf(compiled)) {
      const known = doubts.get(fieldRef) ?? [];
      known.push(`${version.group}/${version.version}, Kind=${version.kind}: ${doubt}\n`);
      doubts.set(fieldRef, known);
    }
  }
  if (doubts.size === 0) return {};
  const expressionWarnings = Array.from(doubts, ([fieldRef, texts]) => ({ fieldRef, warning: texts.join("\n") }));
  return { expressionWarnings };
}

/** Those that are named outright: nothing is known of what a star stands for. */
function kindsOf(
  { matchConstraints = {} }: ValidatingPolicySpec,
  definitions: readonly ResourceDefinition[],
): readonly ServedVersion[] {
  const found = new Map<string, ServedVersion>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints.resourceRules ?? []) {
    for (const definition of definitions) {
      if (!resources.includes(definition.plural)) continue;
      for (const version of definition.versions) {
        if (apiGroups.includes(version.group) && apiVersions.includes(version.version))
          found.set(`${version.apiVersion} ${version.kind}`, version);
      }
    }
  }
  return [...found.keys()]
    .sort()
    .slice(0, KINDS_MAX)
    .map((key) => found.get(key) as ServedVersion);
}

const FAILED = "compilation failed: ";

function doubtsOf({ validations }: CompiledPolicy): readonly (readonly [string, string])[] {
  const doubt = (fieldRef: string, compiled: Compiled | undefined) =>
    typeof compiled === "string" && compiled.startsWith(FAILED)
      ? [[fieldRef, compiled.slice(FAILED.length)] as const]
      : [];
  return validations.flatMap(({ compiled, messageExpression }, index) => [
    ...doubt(`spec.validations[${index}].expression`, compiled),
    ...doubt(`spec.validations[${index}].messageExpression`, messageExpression),
  ]);
}
