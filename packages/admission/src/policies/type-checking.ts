// Type checking of a policy's expressions against the kinds that it names. The warnings appear in the policy's status;
// the policy is in force regardless. Source: Kubernetes documentation, "Validating Admission Policy", "Type checking".
import { DYN, recordType } from "@orch/expressions";
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type Compiled, type CompiledPolicy, policySteps } from "./policy-compilation";
import type { ValidatingPolicySpec } from "./policy-objects";

export interface TypeCheckingParts {
  readonly vocabulary: Vocabulary;
  /** Definitions of all served resources. */
  readonly definitions: readonly ResourceDefinition[];
}

/** Maximum number of kinds that are checked per policy. */
const KINDS_MAX = 10;

/** Checks a policy; a step takes some milliseconds. @returns `status.typeChecking` */
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

/** Returns the kinds that are named explicitly. Wildcards are not checked. */
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
