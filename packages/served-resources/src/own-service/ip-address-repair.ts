// Keeps the IPAddress objects of cluster IPs and the services in agreement: creates missing ones, as for services that
// a release without the kind created, and removes those that no service uses. Source:
// pkg/registry/core/service/ipallocator/controller/repairip.go.
import { setTimeout as pause } from "node:timers/promises";
import { ipAddressOf, parentService } from "@orch/apis";
import { isReason, MOST_RECENT, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { EventLoopYielder, errorFields } from "@orch/platform";
import { type RemovedObject, ResourceInformer, type ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical } from "../serving/own-objects";
import {
  clusterIpsOf,
  type FindingEvent,
  findingOfAddress,
  findingOfService,
  type PresentState,
} from "./ip-address-findings";
import { type OwnEventsDeps, reportOwnEvent } from "./own-events";

export interface IpAddressRepairDeps extends OwnEventsDeps {
  readonly services: ResourceStorage;
  readonly ipAddresses: ResourceStorage;
  readonly logger: Logger;
}

const PASS_MS = 3 * 60_000;
/** Number of repairs that run at the same time. */
const WORKERS = 8;
const SOURCE = "ipallocator-repair-controller";

/** Time after a change until it is checked. The cache has both sides of a transaction then. */
const CHECK_AFTER_MS = 100;
/** Name of the timer of the next check; the names of the others are addresses. */
const CHECK = "check";

type Task = () => Promise<void>;
type Check = () => void;

interface Changes {
  readonly services: Check[];
  readonly addresses: Check[];
}

export class IpAddressRepair {
  private readonly informers: readonly ResourceInformer[];
  private readonly state: PresentState;
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly tasks: Task[] = [];
  /** Checks that are due, by revision of the change. */
  private readonly changes = new Map<number, Changes>();
  private readonly loop = new EventLoopYielder();
  private working = 0;
  private stopped = false;

  constructor(private readonly deps: IpAddressRepairDeps) {
    const { services, ipAddresses, logger, vocabulary } = deps;
    this.state = {
      service: (key) => services.peek(key)?.object(),
      ipAddress: (name) => ipAddresses.peek({ namespace: "", name })?.object(),
      vocabulary,
    };
    const shared = { log: logger, pause: (ms: number) => pause(ms, undefined, { ref: false }) };
    this.informers = [
      new ResourceInformer({
        ...{ ...shared, storage: services, loop: new EventLoopYielder() },
        changed: (entry) => this.note("services", entry, () => this.checkService(entry.object(), false)),
        removed: (service) => this.note("services", service, () => this.checkAddressesOf(service)),
      }),
      new ResourceInformer({
        ...{ ...shared, storage: ipAddresses, loop: new EventLoopYielder() },
        changed: (entry) => this.note("addresses", entry, () => this.checkAddress(entry.name)),
        removed: (address) => this.note("addresses", address, () => this.checkServiceOf(address)),
      }),
    ];
  }

  /** Resolves when all services and IPAddresses have been looked at once. */
  async start(): Promise<void> {
    for (const informer of this.informers) await informer.startWithRetries();
    if (!this.stopped) this.timers.set("", setInterval(() => void this.pass(), PASS_MS).unref());
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const informer of this.informers) informer.close();
  }

  /**
   * Notes a change for the next check. Changes of a service and of its IPAddresses in one transaction have one revision
   * and need no check, which makes the usual changes cheap.
   */
  private note(of: keyof Changes, { resourceVersion = 0 }: Pick<RemovedObject, "resourceVersion">, check: Check): void {
    const changes = this.changes.get(resourceVersion) ?? { services: [], addresses: [] };
    changes[of].push(check);
    this.changes.set(resourceVersion, changes);
    if (this.timers.has(CHECK) || this.stopped) return;
    this.timers.set(CHECK, setTimeout(() => void this.checkChanges(), CHECK_AFTER_MS).unref());
  }

  private async checkChanges(): Promise<void> {
    this.timers.delete(CHECK);
    const changes = [...this.changes];
    this.changes.clear();
    for (const [revision, { services, addresses }] of changes) {
      if (revision !== 0 && services.length > 0 && addresses.length > 0) continue;
      for (const check of [...services, ...addresses]) {
        if (this.loop.isOver) await this.loop.next();
        if (!this.stopped) check();
      }
    }
  }

  private checkAddressesOf(service: RemovedObject): void {
    const last = service.object?.();
    for (const address of last === undefined ? [] : clusterIpsOf(last)) this.checkAddress(address);
  }

  private checkServiceOf(address: RemovedObject): void {
    const last = address.object?.();
    const parent = last && parentService(last);
    const service = parent && this.state.service(parent);
    if (service !== undefined) this.checkService(service, true);
  }

  /** Checks all objects again, in case that a change was missed. */
  private async pass(): Promise<void> {
    const { services, ipAddresses, logger } = this.deps;
    const all = { namespace: "", selection: {}, limit: 0, read: MOST_RECENT } as const;
    const { loop } = this;
    try {
      await ipAddresses.repairAllocations();
      for (const entry of (await services.list(all)).entries) {
        if (loop.isOver) await loop.next();
        this.checkService(entry.object(), false);
      }
      for (const { name } of (await ipAddresses.list(all)).entries) {
        if (loop.isOver) await loop.next();
        this.checkAddress(name);
      }
    } catch (error) {
      logger.warn("cannot check the IPAddresses of services", errorFields(error));
    }
  }

  private checkService(service: JsonObject, reportsMissing: boolean): void {
    for (const address of clusterIpsOf(service)) {
      if (findingOfService(this.state, service, address) === undefined) continue;
      this.run(() => this.repairService(service, address, reportsMissing));
    }
  }

  private async repairService(seen: JsonObject, address: string, reportsMissing: boolean): Promise<void> {
    const { namespace = "", name = "" } = metaOf(seen);
    const service = this.state.service({ namespace, name });
    if (service === undefined || !clusterIpsOf(service).includes(address)) return;
    const finding = findingOfService(this.state, service, address);
    if (finding === undefined) return;
    const { event } = finding;
    if (event !== undefined && (finding.kind !== "create" || reportsMissing))
      await this.tell("Service", service, event);
    if (finding.kind === "report") return;
    if (finding.kind === "recreate") await this.remove(address);
    await this.create(address, service);
  }

  private async create(address: string, service: JsonObject): Promise<void> {
    const { ipAddresses, vocabulary } = this.deps;
    const { apiVersion } = ipAddresses.definition.storage;
    const object = { ...ipAddressOf(address, metaOf(service), vocabulary), apiVersion };
    const write = serverWrite(ipAddresses, vocabulary);
    try {
      await ipAddresses.create(canonical(ipAddresses, object), { namespace: "", name: "" }, write);
    } catch (error) {
      // Another replica was faster.
      if (!isReason(error, "AlreadyExists")) throw error;
    }
  }

  private checkAddress(name: string): void {
    const found = this.state.ipAddress(name);
    const finding = found && findingOfAddress(this.state, found, this.deps.now());
    if (found === undefined || finding === undefined) return;
    if (finding.kind === "wait") this.checkLater(name, finding.ms);
    else this.removeUnused(found, name, finding.event);
  }

  private removeUnused(found: JsonObject, name: string, event: FindingEvent): void {
    this.run(async () => {
      const present = this.state.ipAddress(name);
      if (present === undefined || metaOf(present).uid !== metaOf(found).uid) return;
      await this.tell("IPAddress", present, event);
      await this.remove(name);
    });
  }

  private checkLater(name: string, ms: number): void {
    if (this.stopped || this.timers.has(name)) return;
    const check = () => {
      this.timers.delete(name);
      this.checkAddress(name);
    };
    this.timers.set(name, setTimeout(check, ms).unref());
  }

  private async remove(name: string): Promise<void> {
    const { ipAddresses, vocabulary } = this.deps;
    try {
      await ipAddresses.delete({ namespace: "", name }, {}, serverWrite(ipAddresses, vocabulary));
    } catch (error) {
      if (!isReason(error, "NotFound")) throw error;
    }
  }

  private tell(kind: "Service" | "IPAddress", object: JsonObject, event: FindingEvent): Promise<void> {
    const { ipAddresses } = this.deps;
    const apiVersion = kind === "Service" ? "v1" : ipAddresses.definition.storage.apiVersion;
    const { reason, message } = event;
    this.deps.logger.warn("repairs the IPAddress of a service", { reason, message });
    return reportOwnEvent(
      this.deps,
      { ...object, kind, apiVersion },
      { reason, message, source: SOURCE, mark: message },
    );
  }

  private run(task: Task): void {
    this.tasks.push(task);
    if (this.working >= WORKERS) return;
    this.working += 1;
    void this.work().finally(() => {
      this.working -= 1;
    });
  }

  private async work(): Promise<void> {
    for (let task = this.tasks.shift(); task !== undefined && !this.stopped; task = this.tasks.shift()) {
      try {
        await task();
      } catch (error) {
        // The next pass tries again.
        if (!this.stopped) this.deps.logger.warn("cannot repair the IPAddress of a service", errorFields(error));
      }
    }
  }
}
