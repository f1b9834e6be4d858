// All registrations, as the watch cache has them: what requests, discovery and the checks of availability go by.
import type { Log } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { WantedRegistration } from "./automatic-registration";
import { EntryFollower } from "./entry-follower";
import {
  isRemote,
  type Registration,
  type RemoteRegistration,
  readRegistration,
  registrationName,
} from "./registration";

export interface RegistrationsParts {
  /** Of APIServices. */
  readonly storage: ResourceStorage;
  readonly vocabulary: Vocabulary;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  /** What this server has registered, or would register. */
  readonly usual: (name: string) => WantedRegistration | undefined;
}

/** @param now undefined: it is gone; @param before undefined: it is new */
export type RegistrationChange = (now: Registration | undefined, before: Registration | undefined) => void;

export class Registrations {
  private readonly byName = new Map<string, Registration>();
  private readonly remote = new Map<string, RemoteRegistration>();
  private readonly listeners: RegistrationChange[] = [];
  private readonly follower: EntryFollower;
  private readonly usual: RegistrationsParts["usual"];
  /** Another number whenever one has changed. */
  generation = 0;

  /** Of this server's own group versions, those whose priorities somebody else has chosen. */
  private readonly chosen = new Set<string>();

  constructor({ storage, vocabulary, log, pause, usual }: RegistrationsParts) {
    this.usual = usual;
    const own = vocabulary.groups.apiregistration;
    this.follower = new EntryFollower({
      storage,
      log,
      pause,
      changed: (entry) => {
        const registration = readRegistration(entry, vocabulary);
        // Who could be sent elsewhere for the registrations themselves could never be brought back.
        if (registration.group !== own) this.put(entry.name, registration);
      },
      removed: ({ name }) => this.put(name, undefined),
    });
  }

  /** Resolves once all that are stored are known. */
  start(): Promise<void> {
    return this.follower.start();
  }

  close(): void {
    this.follower.close();
  }

  /** Called after each change. */
  onChange(listener: RegistrationChange): void {
    this.listeners.push(listener);
  }

  get(name: string): Registration | undefined {
    return this.byName.get(name);
  }

  all(): Iterable<Registration> {
    return this.byName.values();
  }

  /** Those that lead to extension servers. */
  remotes(): Iterable<RemoteRegistration> {
    return this.remote.values();
  }

  get hasRemotes(): boolean {
    return this.remote.size > 0;
  }

  /** Whether somebody else has chosen priorities of what this server answers for. */
  get hasOwnPriorities(): boolean {
    return this.chosen.size > 0;
  }

  /** Who else answers for a group version; undefined where this server does. */
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
