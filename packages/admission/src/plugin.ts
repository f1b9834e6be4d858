// What an admission plugin is: a small module that may refuse a write or change its object. It is made once for a server, by a factory
// that names what it reads of the world, and it is given no more than that.
// Source: access-control, "Admission control"; facts, admission/chain.md.
import type {
  AdmissionOperation,
  AdmissionRequest,
  Admission as Chain,
  MutableAdmissionRequest,
} from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { AdmissionWorld } from "./world";

export interface AdmissionPlugin {
  /** Which requests it is asked about: looked up once a resource, so that the others cost nothing. */
  readonly on: readonly AdmissionRule[];
  /**
   * May change `request.object`, or put another in its stead. Runs before the object's own validation, and once more where a round is
   * asked for; what is decided twice must come out the same. @throws StatusError to refuse
   */
  readonly mutate?: MutatingStep;
  /** Changes nothing. Runs after the object's own validation. @throws StatusError to refuse */
  readonly validate?: AdmissionStep;
  /** Told what has become of each request that it was asked about, for those that keep accounts. See `Admission` of the machinery. */
  readonly settled?: NonNullable<Chain["settled"]>;
}

/** What no flag switches off: asked when all plugins have made their changes. Changes nothing. */
export interface AdmissionGuard {
  /** For those who ask what became of their request. */
  readonly name: string;
  readonly on: readonly AdmissionRule[];
  readonly check: AdmissionStep;
}

/** Requests of which a plugin wants to know. */
export interface AdmissionRule {
  readonly operations: readonly AdmissionOperation[];
  /** Absent: all. */
  readonly resources?: readonly AdmittedResource[];
}

export interface AdmittedResource {
  readonly group: string;
  readonly plural: string;
  /** "" for the resource itself. Absent: it, and all its parts. */
  readonly subresource?: string;
}

/**
 * Answers at once where it can: most requests then wait for nothing. A write that meets another one asks again, as its next attempt:
 * what is decided twice must come out the same.
 */
export type AdmissionStep = (request: AdmissionRequest) => void | Promise<void>;

export type MutatingStep = (request: MutableAdmissionRequest, round: MutationRound) => void | Promise<void>;

/** One pass through all plugins that change objects. There are two at most. */
export interface MutationRound {
  /** 1 in that which a plugin has asked for. */
  readonly number: 0 | 1;
  /** Asks for another one. In the second, nothing follows from it. */
  again(need: ReinvocationNeed): void;
}

/** `IfNeeded`: where a later plugin has changed the object further. */
export type ReinvocationNeed = "Always" | "IfNeeded";

export interface PluginFactory {
  /** As in `--enable-admission-plugins`. */
  readonly name: string;
  /**
   * @param configuration the plugin's own; undefined where there is none
   * @throws Error for a configuration that breaks its rules
   */
  make(world: AdmissionWorld, configuration?: JsonValue): AdmissionPlugin;
}

/** A plugin's own configuration, and where it was read, for whoever is told what is wrong with it. */
export interface PluginConfiguration {
  readonly value: JsonValue;
  readonly from: string;
}

/**
 * @param of.reads all that `make` may look at
 * @param of.configure reads the plugin's configuration; absent: it takes none, and ignores what there is
 */
export function definePlugin<Read extends keyof AdmissionWorld, Options = undefined>(
  of: PluginParts<Read, Options>,
): DefinedPlugin<Read> {
  return {
    name: of.name,
    make(world, configuration) {
      const deps = Object.fromEntries(of.reads.map((read) => [read, world[read]])) as unknown as typeof world;
      return of.make(deps, of.configure?.(configuration, deps) as Options);
    },
  };
}

export interface PluginParts<Read extends keyof AdmissionWorld, Options> {
  readonly name: string;
  readonly reads: readonly Read[];
  /** @throws Error that names the field and its rule */
  configure?(configuration: JsonValue | undefined, deps: Pick<AdmissionWorld, Read>): Options;
  make(deps: Pick<AdmissionWorld, Read>, options: Options): AdmissionPlugin;
}

export interface DefinedPlugin<Read extends keyof AdmissionWorld> extends PluginFactory {
  make(deps: Pick<AdmissionWorld, Read>, configuration?: JsonValue): AdmissionPlugin;
}
