// Interface of admission plugins. A plugin is a small module that may refuse a write or change its object. A factory
// creates it once per server, declares which dependencies it reads, and gives it only those. Source: Kubernetes
// documentation, "Admission Control in Kubernetes".
import type {
  AdmissionOperation,
  AdmissionRequest,
  Admission as Chain,
  MutableAdmissionRequest,
} from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { AdmissionDependencies } from "./dependencies";

export interface AdmissionPlugin {
  /** Requests that the plugin handles. Evaluated once per resource, so that other requests cost nothing. */
  readonly on: readonly AdmissionRule[];
  /**
   * May change `request.object` or replace it. Runs before the object's own validation, and again in a second round
   * when one is requested; must be idempotent.
   * @throws StatusError to refuse
   */
  readonly mutate?: MutatingStep;
  /**
   * Must not change the object. Runs after the object's own validation.
   * @throws StatusError to refuse
   */
  readonly validate?: AdmissionStep;
  /**
   * Receives the outcome of each request that the plugin handled, for plugins that keep reservations. See `Admission`
   * of the machinery.
   */
  readonly settled?: NonNullable<Chain["settled"]>;
}

/** Check that no flag disables. Runs after all plugins have mutated the object. Must not change the object. */
export interface AdmissionGuard {
  /** Name of the guard in traces. */
  readonly name: string;
  readonly on: readonly AdmissionRule[];
  readonly check: AdmissionStep;
}

/** Requests that a plugin handles. */
export interface AdmissionRule {
  readonly operations: readonly AdmissionOperation[];
  /** Absent: all resources. */
  readonly resources?: readonly AdmittedResource[];
}

export interface AdmittedResource {
  readonly group: string;
  readonly plural: string;
  /** "" for the resource itself. Absent: the resource and all its subresources. */
  readonly subresource?: string;
}

/**
 * Step of a plugin. Synchronous when it can be, so that most requests wait for nothing. A write that conflicts with
 * another one runs its steps again with the next attempt; they must decide the same.
 */
export type AdmissionStep = (request: AdmissionRequest) => void | Promise<void>;

export type MutatingStep = (request: MutableAdmissionRequest, round: MutationRound) => void | Promise<void>;

/** One pass through all mutating plugins. A request has at most two. */
export interface MutationRound {
  /** 1 in a round that a plugin has requested. */
  readonly number: 0 | 1;
  /** Requests another round. Has no effect in the second round. */
  again(need: ReinvocationNeed): void;
}

/** Condition of the second round. `IfNeeded`: only when a later plugin has changed the object. */
export type ReinvocationNeed = "Always" | "IfNeeded";

export interface PluginFactory {
  /** Name as in `--enable-admission-plugins`. */
  readonly name: string;
  /**
   * Creates the plugin.
   * @param configuration configuration of the plugin; undefined when there is none
   * @throws Error for an invalid configuration
   */
  make(dependencies: AdmissionDependencies, configuration?: JsonValue): AdmissionPlugin;
}

/** Configuration of a plugin, and where it was read, for error messages. */
export interface PluginConfiguration {
  readonly value: JsonValue;
  readonly from: string;
}

/**
 * Defines a plugin.
 * @param of.reads the dependencies that `make` receives
 * @param of.configure reads the plugin's configuration; absent: the plugin takes none and ignores one that is given
 */
export function definePlugin<Read extends keyof AdmissionDependencies, Options = undefined>(
  of: PluginParts<Read, Options>,
): DefinedPlugin<Read> {
  return {
    name: of.name,
    make(dependencies, configuration) {
      const deps = Object.fromEntries(
        of.reads.map((read) => [read, dependencies[read]]),
      ) as unknown as typeof dependencies;
      return of.make(deps, of.configure?.(configuration, deps) as Options);
    },
  };
}

export interface PluginParts<Read extends keyof AdmissionDependencies, Options> {
  readonly name: string;
  readonly reads: readonly Read[];
  /**
   * Reads the configuration.
   * @throws Error that names the field and its rule
   */
  configure?(configuration: JsonValue | undefined, deps: Pick<AdmissionDependencies, Read>): Options;
  make(deps: Pick<AdmissionDependencies, Read>, options: Options): AdmissionPlugin;
}

export interface DefinedPlugin<Read extends keyof AdmissionDependencies> extends PluginFactory {
  make(deps: Pick<AdmissionDependencies, Read>, configuration?: JsonValue): AdmissionPlugin;
}
