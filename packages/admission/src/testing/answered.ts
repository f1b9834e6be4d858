// Outcome of a chain of plugins for a request, both phases together, for table tests.
import { passAdmission } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import { createAdmissionChain } from "../chain/chain";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { PluginFactory } from "../contract/plugin";
import { fakeDependencies, type RequestParts, requestOf } from "./admission-request";

export type Answer =
  | { readonly refused: { readonly code: number; readonly message: string } }
  | { readonly object: JsonObject | undefined };

export interface Asked {
  readonly plugins: readonly PluginFactory[];
  readonly dependencies?: Partial<AdmissionDependencies>;
  /** Configurations keyed by plugin name. */
  readonly configurations?: Readonly<Record<string, JsonValue>>;
}

export interface Asking {
  ask(parts: RequestParts): Promise<Answer>;
}

/** Creates one chain for several consecutive requests. @throws what creating the plugins throws */
export function chainWith({ plugins, dependencies = {}, configurations = {} }: Asked): Asking {
  const chain = createAdmissionChain({
    plugins,
    dependencies: fakeDependencies(dependencies),
    configurations: new Map(Object.entries(configurations).map(([name, value]) => [name, { value, from: "test" }])),
  });
  return {
    async ask(parts) {
      const object = parts.object && (structuredClone(parts.object) as JsonObject);
      const request = requestOf({ ...parts, object });
      try {
        return { object: await passAdmission(chain, request) };
      } catch (error) {
        const { code, message } = error as { readonly code: number; readonly message: string };
        if (code === undefined) throw error;
        return { refused: { code, message } };
      }
    },
  };
}
