// Steps that handle a request. The rules of plugins are data, so the steps are computed once per resource, subresource
// and operation.
import type { AdmissionOperation, AdmissionRequest, ResourceDefinition } from "@orch/machinery";
import type { AdmissionGuard, AdmissionPlugin, AdmissionRule, AdmissionStep, MutatingStep } from "../contract/plugin";

export type NamedPlugin = AdmissionPlugin & { readonly name: string };

export interface Steps {
  readonly mutators: readonly Named<MutatingStep>[];
  /** Guards have no plugin metrics. */
  readonly guards: readonly Named<AdmissionStep>[];
  readonly validators: readonly Named<AdmissionStep>[];
  readonly settlers: readonly Named<NonNullable<AdmissionPlugin["settled"]>>[];
}

interface Named<Run> {
  readonly name: string;
  readonly run: Run;
}

type Target = Pick<AdmissionRequest, "operation" | "definition" | "subresource">;

export class RequestedSteps {
  private readonly known: Readonly<Record<AdmissionOperation, WeakMap<ResourceDefinition, Map<string, Steps>>>> = {
    CREATE: new WeakMap(),
    UPDATE: new WeakMap(),
    DELETE: new WeakMap(),
    CONNECT: new WeakMap(),
  };

  constructor(
    private readonly plugins: readonly NamedPlugin[],
    private readonly guards: readonly AdmissionGuard[],
  ) {}

  of(target: Target): Steps {
    const { operation, definition, subresource } = target;
    const byResource = this.known[operation];
    let byPart = byResource.get(definition);
    if (byPart === undefined) {
      byPart = new Map();
      byResource.set(definition, byPart);
    }
    let steps = byPart.get(subresource);
    if (steps === undefined) {
      steps = this.find(target);
      byPart.set(subresource, steps);
    }
    return steps;
  }

  private find(target: Target): Steps {
    const plugins = this.plugins.filter(({ on }) => wants(on, target));
    return {
      mutators: plugins.flatMap(({ name, mutate: run }) => (run === undefined ? [] : [{ name, run }])),
      guards: this.guards.filter(({ on }) => wants(on, target)).map(({ name, check: run }) => ({ name, run })),
      validators: plugins.flatMap(({ name, validate: run }) => (run === undefined ? [] : [{ name, run }])),
      settlers: plugins.flatMap(({ name, settled: run }) => (run === undefined ? [] : [{ name, run }])),
    };
  }
}

function wants(rules: readonly AdmissionRule[], { operation, definition, subresource }: Target): boolean {
  return rules.some(({ operations, resources }) => {
    if (!operations.includes(operation)) return false;
    if (resources === undefined) return true;
    return resources.some(
      (each) =>
        each.plural === definition.plural &&
        each.group === definition.group &&
        (each.subresource === undefined || each.subresource === subresource),
    );
  });
}
