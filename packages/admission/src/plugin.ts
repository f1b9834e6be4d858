// What an admission plugin is: a small module that may refuse a write or change its object. It is made once for a server, by a factory
// that names what it reads of the world, and it is given no more than that.
// Source: access-control, "Admission control"; facts, admission/chain.md.
import type { AdmissionOperation, AdmissionRequest } from "@orch/machinery";
import type { AdmissionWorld } from "./world";

export interface AdmissionPlugin {
  readonly operations: readonly AdmissionOperation[];
  /** May change `request.object`. Runs before the object's own validation. @throws StatusError to refuse */
  readonly mutate?: AdmissionStep;
  /** Changes nothing. Runs after the object's own validation. @throws StatusError to refuse */
  readonly validate?: AdmissionStep;
}

/**
 * Answers at once where it can: most requests then wait for nothing. A write that meets another one asks again: what is decided twice
 * must come out the same.
 */
export type AdmissionStep = (request: AdmissionRequest) => void | Promise<void>;

export interface PluginFactory {
  /** As in `--enable-admission-plugins`. */
  readonly name: string;
  make(world: AdmissionWorld): AdmissionPlugin;
}

/** @param of.reads all that `make` may look at */
export function definePlugin<Read extends keyof AdmissionWorld>(of: {
  readonly name: string;
  readonly reads: readonly Read[];
  make(world: Pick<AdmissionWorld, Read>): AdmissionPlugin;
}): PluginFactory & { make(world: Pick<AdmissionWorld, Read>): AdmissionPlugin } {
  return {
    name: of.name,
    make: (world) => of.make(Object.fromEntries(of.reads.map((read) => [read, world[read]])) as typeof world),
  };
}
