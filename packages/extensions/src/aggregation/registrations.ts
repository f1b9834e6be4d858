// All APIServices in the watch cache. Requests, discovery and availability checks use them.
import type { Log } from "@orch/platform";
import { ResourceInformer, type ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { WantedRegistration } from "./automatic-registration";
import {
  isRemote,
  type Registration,
  type RemoteRegistration,
  readRegistration,
  registrationName,
} from "./registration";

export interface RegistrationsParts {
  /** Storage of APIServices. */
  readonly storage: ResourceStorage;
  readonly vocabulary: Vocabulary;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  /** Returns what this server has registered, or would register, under a name. */
  readonly usual: (name: string) => WantedRegistration | undefined;
}

/** @param now undefined: deleted; @param before undefined: created */
export type RegistrationChange = (now: Registration | undefined, before: Registration | undefined) => void;

export class Registrations {
  private readonly byName = new Map<string, Registration>();
  private readonly remote = new Map<string, RemoteRegistration>();
  private readonly listeners: RegistrationChange[] = [];
  private readonly informer: ResourceInformer;
  private readonly usual: RegistrationsParts["usual"];
  /** Increased with each change. */
  generation = 0;

  /** Names of this server's own group versions whose priorities were changed by a user. */
  private readonly chosen = new Set<string>();

  constructor({ storage, vocabulary, log, pause, usual }: RegistrationsParts) {
    this.usual = usual;
    const own = vocabulary.groups.apiregistration;
    this.informer = new ResourceInformer({
      storage,
      log,
      pause,
      changed: (entry) => {
        const registration = readRegistration(entry, vocabulary);
        // The group of the APIServices themselves cannot be forwarded: such an APIService could not be removed any
        // more.
        if (registration.group !== own) this.put(entry.name, registration);
      },
      removed: ({ name }) => this.put(name, undefined),
    });
  }

  /** Resolves when all stored APIServices are known. */
  start(): Promise<void> {
    return this.informer.start();
  }

  close(): void {
    this.informer.close();
  }

  /** Adds a listener that is called after each change. */
  onChange(listener: RegistrationChange): void {
    this.listeners.push(listener);
  }

  get(name: string): Registration | undefined {
    return this.byName.get(name);
  }

  all(): Iterable<Registration> {
    return this.byName.values();
  }

  /** Returns the APIServices that refer to aggregated API servers. */
  remotes(): Iterable<RemoteRegistration> {
    return this.remote.values();
  }

  get hasRemotes(): boolean {
    return this.remote.size > 0;
  }

  /** Reports whether a user has changed priorities of group versions that this server serves. */
  get hasOwnPriorities(): boolean {
    return this.chosen.size > 0;
  }

  /**
   * Returns the APIService of a group version served by an aggregated API server; undefined when this server serves it.
   */
  remoteOf(group: string, version: string): RemoteRegistration | undefined {
    return this.remote.size === 0 ? undefined : this.remote.get(registrationName({ group, version }));
  }

  private put(name: string, now: Registration | undefined): void {
    const before = this.byName.get(name);
    if (now === undefined) this.byName.delete(name);
    else this.byName.set(name, now);
    if (now !== undefined && isRemote(now)) this.remote.set(name, now);
    else this.remote.delete(name);
    if (now !== undefined && hasOtherPriorities(now, this.usual(name))) this.chosen.add(name);
    else this.chosen.delete(name);
    this.generation += 1;
    for (const listener of this.listeners) listener(now, before);
  }
}

const hasOtherPriorities = (now: Registration, usual: WantedRegistration | undefined): boolean =>
  usual !== undefined && (now.groupPriority !== usual.groupPriority || now.versionPriority !== usual.versionPriority);
