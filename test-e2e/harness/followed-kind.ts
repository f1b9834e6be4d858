// A kind in one or several versions: a writer that changes objects through all servers of a fleet, and followers that
// watch them in one version each.
import type { ApiObject } from "./api-object";
import type { ByRelease, RollingFleet, Sent } from "./rolling-fleet";

const SELECTOR = "labelSelector=of%3Dfleet";
const JSON_TYPE = "application/json";
const APPLY_TYPE = "application/apply-patch+yaml";
/** Objects that a writer keeps. */
const KEPT = 4;
const MERGE_TYPE = "application/merge-patch+json";

export interface KindVersion {
  readonly apiVersion: string;
  /** Releases that serve it. */
  readonly releases: readonly string[];
  /** Fields besides the metadata. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Kind {
  readonly kind: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly versions: readonly KindVersion[];
}

export function pathOf({ namespace, resource }: Kind, { apiVersion }: KindVersion): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}`;
}

const versioned = ({ name, resourceVersion }: { name: string; resourceVersion: string }) =>
  `${name}@${resourceVersion}`;

/** Creates, updates, applies, patches and deletes objects of its own. */
export class Writer {
  /** Every acknowledged state, as name@resourceVersion. */
  readonly acknowledged: string[] = [];
  readonly deleted: string[] = [];
  /** The last acknowledged state of the objects that exist. */
  readonly alive = new Map<string, ApiObject>();
  rounds = 0;
  private readonly fleet: RollingFleet;
  private readonly kind: Kind;
  private readonly prefix: string;
  private step = 0;

  constructor(fleet: RollingFleet, kind: Kind, prefix = "object") {
    this.fleet = fleet;
    this.kind = kind;
    this.prefix = prefix;
  }

  /** Creates and changes one object, and deletes the oldest one when there are more than a few. */
  async round(): Promise<void> {
    const name = `${this.prefix}-${this.rounds}`;
    await this.create(name);
    await this.update(name);
    await this.patch(name, APPLY_TYPE, "?fieldManager=fleet&force=true");
    await this.patch(name, MERGE_TYPE);
    this.rounds += 1;
    const [oldest] = this.alive.keys();
    if (oldest !== undefined && this.alive.size > KEPT) await this.delete(oldest);
  }

  async create(name: string): Promise<ApiObject> {
    const sent = await this.send("POST", "", JSON_TYPE, (version) => ({
      ...version.body,
      metadata: { name, labels: { of: "fleet" } },
    }));
    if (sent.answer.status === 409 && sent.retried) return this.acknowledge(await this.read(name));
    return this.accept(sent, 201);
  }

  async delete(name: string): Promise<void> {
    const object = this.alive.get(name);
    this.alive.delete(name);
    const sent = await this.send("DELETE", `/${name}?propagationPolicy=Background`);
    if (!(sent.answer.status === 404 && sent.retried)) expectOne(sent, 200);
    if (object !== undefined) this.deleted.push(name);
  }

  async read(name: string): Promise<ApiObject> {
    return expectOne(await this.send("GET", `/${name}`), 200);
  }

  private async update(name: string): Promise<void> {
    const step = this.nextStep();
    const read = await this.read(name);
    const metadata = { ...read.metadata, annotations: { ...read.metadata.annotations, update: step } };
    const sent = await this.send("PUT", `/${name}`, JSON_TYPE, (version) => ({
      ...(version.apiVersion === read.apiVersion ? read : version.body),
      metadata,
    }));
    if (sent.answer.status === 409 && sent.retried) {
      const now = await this.read(name);
      if (now.metadata.annotations?.["update"] === step) {
        this.acknowledge(now);
        return;
      }
    }
    this.accept(sent, 200);
  }

  private async patch(name: string, type: string, query = ""): Promise<void> {
    const step = this.nextStep();
    const field = type === APPLY_TYPE ? "apply" : "patch";
    this.accept(
      await this.send("PATCH", `/${name}${query}`, type, () => ({
        metadata: { name, annotations: { [field]: step } },
      })),
      200,
    );
  }

  private send(
    method: string,
    suffix: string,
    type = JSON_TYPE,
    body?: (version: KindVersion) => object,
  ): Promise<Sent> {
    const { kind, versions } = this.kind;
    return this.fleet.send((release) => {
      const served = versions.filter(({ releases }) => releases.includes(release));
      const version = served[this.step % Math.max(1, served.length)];
      if (version === undefined) return undefined;
      const text =
        body === undefined ? undefined : JSON.stringify({ apiVersion: version.apiVersion, kind, ...body(version) });
      return {
        path: `${pathOf(this.kind, version)}${suffix}`,
        options: { method, headers: { "content-type": type }, ...(text === undefined ? {} : { body: text }) },
      };
    });
  }

  private nextStep(): string {
    this.step += 1;
    return `${this.step}`;
  }

  private accept(sent: Sent, status: number): ApiObject {
    return this.acknowledge(expectOne(sent, status));
  }

  private acknowledge(object: ApiObject): ApiObject {
    this.acknowledged.push(versioned(object.metadata));
    this.alive.set(object.metadata.name, object);
    return object;
  }
}

function expectOne({ answer, retried }: Sent, status: number): ApiObject {
  if (answer.status === status) return answer.object();
  throw new Error(`expected ${status}, got ${answer.status}${retried ? " after a retry" : ""}: ${answer.body}`);
}

/** Watches the objects of a kind in one version, and continues at another server when the watch ends. */
export class Follower {
  /** Every state that was seen, as name@resourceVersion. */
  readonly seen: string[] = [];
  readonly deleted: string[] = [];
  /** Resource versions by name. */
  readonly state = new Map<string, string>();
  readonly faults: string[] = [];
  resumed = 0;
  readonly title: string;
  private readonly fleet: RollingFleet;
  private readonly path: ByRelease<string>;
  private resourceVersion: string;

  constructor(fleet: RollingFleet, kind: Kind, { version, from }: { version: KindVersion; from: string }) {
    this.fleet = fleet;
    this.title = `${kind.resource} of ${version.apiVersion}`;
    this.resourceVersion = from;
    const path = `${pathOf(kind, version)}?${SELECTOR}&allowWatchBookmarks=true`;
    this.path = (release) =>
      version.releases.includes(release) ? `${path}&resourceVersion=${this.resourceVersion}` : undefined;
  }

  /** Follows until the object with this name is seen. */
  async until(last: string): Promise<void> {
    while (!this.state.has(last)) {
      const watch = await this.fleet.watch(this.path);
      for (;;) {
        // No bound of its own: without a server of the version, and without changes, nothing arrives.
        const event = await watch.next(60_000);
        if (event === undefined) break;
        if (event.type === "ERROR") throw new Error(`${this.title}: ${JSON.stringify(event.object)}`);
        this.take(event.type, event.object);
        if (this.state.has(last)) break;
      }
      watch.close();
      this.resumed += 1;
    }
  }

  private take(type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", { metadata }: ApiObject): void {
    const { name, resourceVersion } = metadata;
    if (BigInt(resourceVersion) < BigInt(this.resourceVersion))
      this.faults.push(`${name}: ${resourceVersion} after ${this.resourceVersion}`);
    this.resourceVersion = resourceVersion;
    if (type === "BOOKMARK") return;
    if ((type === "ADDED") === this.state.has(name)) this.faults.push(`${type} ${name} at ${resourceVersion}`);
    if (type === "DELETED") {
      this.state.delete(name);
      this.deleted.push(name);
    } else {
      this.state.set(name, resourceVersion);
      this.seen.push(versioned(metadata));
    }
  }
}
