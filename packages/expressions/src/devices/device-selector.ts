// Compilation of expressions that select devices: `device` has the driver, attributes and capacities. Devices are
// selected by the scheduler; the server only compiles the expression and limits its cost. Source:
// staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go.
import { EXPRESSION_COST_MAX } from "../cost/budget";
import { reads } from "../cost/cost-model";
import type { Extent } from "../cost/extent";
import { type ExpressionLimit, functionsFor, LIBRARY } from "../functions/library";
import { method } from "../functions/overload";
import { ExpressionError } from "../syntax/expression-error";
import { parseExpression } from "../syntax/parser";
import { check } from "../typing/checker";
import { estimateOf } from "../typing/cost-estimate";
import { BOOL, type CelType, DYN, mapOf, opaqueOf, STRING } from "../values/cel-type";

export interface SelectorSite {
  /** Whether devices have allowMultipleAllocations. */
  readonly sharesCapacity: boolean;
  /** Whether attributes can be lists. */
  readonly hasLists: boolean;
  /** Absent: selectors may use all functions. */
  readonly limit?: ExpressionLimit | undefined;
}

export type SelectorProblem = { readonly kind: "invalid"; readonly message: string } | { readonly kind: "expensive" };

const DRIVER_MAX = 63;
const DOMAIN_MAX = 63;
const IDENTIFIER_MAX = 32;
const PROPERTIES_MAX = 32;
const VALUE_MAX = 64;

const domains = (value: CelType): CelType => mapOf(STRING, mapOf(STRING, value));

const domainExtent = (item: Extent): Extent => ({
  min: 0,
  max: PROPERTIES_MAX,
  key: { min: 0, max: DOMAIN_MAX },
  item: { min: 0, max: PROPERTIES_MAX, key: { min: 0, max: IDENTIFIER_MAX }, item },
});

const VALUE: Extent = { min: 0, max: VALUE_MAX, item: { min: 0, max: VALUE_MAX } };
const FLAG: Extent = { min: 0, max: 1 };

const EXTENT: Extent = {
  min: 1,
  max: 1,
  fields: new Map([
    ["driver", { min: 0, max: DRIVER_MAX }],
    ["allowMultipleAllocations", FLAG],
    ["attributes", domainExtent(VALUE)],
    ["capacity", domainExtent(FLAG)],
  ]),
};

function deviceType({ sharesCapacity }: SelectorSite): CelType {
  const fields = new Map<string, CelType>([
    ["driver", STRING],
    ["attributes", domains(DYN)],
    ["capacity", domains(opaqueOf("Quantity"))],
  ]);
  if (sharesCapacity) fields.set("allowMultipleAllocations", BOOL);
  return { kind: "object", name: "object", fields };
}

/** Whether a value is one of a list, or the only one. The server does not evaluate selectors. */
const INCLUDES = method("dyn.includes(dyn): bool", reads(0), () => false);

const WITH_LISTS = LIBRARY.with([INCLUDES]);

/** Checks an expression. @returns undefined when it can be used */
export function selectorProblem(source: string, site: SelectorSite): SelectorProblem | undefined {
  try {
    const checked = check(source, parseExpression(source), {
      functions: functionsFor(site.hasLists ? WITH_LISTS : LIBRARY, source, site.limit),
      variables: new Map([["device", deviceType(site)]]),
      literals: "ofOneType",
      mode: "checked",
    });
    const { kind } = checked.type;
    if (kind !== "bool" && kind !== "dyn") {
      return { kind: "invalid", message: `must evaluate to bool or the unknown type, not ${kind}` };
    }
    const { max } = estimateOf(checked, new Map([["device", EXTENT]]));
    return max > EXPRESSION_COST_MAX ? { kind: "expensive" } : undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return { kind: "invalid", message: `compilation failed: ${error.message}` };
    throw error;
  }
}
