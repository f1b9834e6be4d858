// Import of the objects of an export: in stages, in parallel within a resource, with owners before what they own.

import { ConnectionError, type DiscoveredResource, type ResourceClient } from "@orch/client";
import { isCode, parseLabelSelector, StatusError } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { inParallel } from "../../process/in-parallel";
import type { Session } from "../../session/session";
import { type ArchivedKind, kindName } from "./archive-form";
import type { ImportJournal, Outcome } from "./import-journal";
import { DEFINITIONS_STAGE, inStages, LAST_BEFORE_ADMISSION } from "./import-order";
import type { ImportReport } from "./import-report";
import type { Definition, ImportTarget } from "./import-target";
import { isFinished } from "./left-out";
import { type PortableOptions, portableObject } from "./portable-object";
import type { Archive, Place } from "./read-archive";
import { hasAllOf } from "./same-object";
import type { ObjectTranslation } from "./translate-object";

export interface ImportOptions extends PortableOptions {
  /** Treatment of objects that the target has and that differ. */
  readonly existing: "skip" | "update" | "fail";
  readonly status?: boolean;
  readonly dryRun?: boolean;
  /** Also import pods and jobs that have ended. */
  readonly finished?: boolean;
  readonly namespace?: string | undefined;
  readonly selector?: string;
  /** Number of requests at the same time. */
  readonly parallel: number;
}

export interface ImportParts {
  readonly session: Session;
  readonly archive: Archive;
  readonly target: ImportTarget;
  readonly journal: ImportJournal;
  readonly report: ImportReport;
  /** Absent: the target has the vocabulary of the export. */
  readonly translation: ObjectTranslation | undefined;
}

interface Waiting {
  readonly kind: ArchivedKind;
  readonly place: Place;
}

const TRIES = 5;
const RETRY_MS = 500;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export class ObjectImport {
  /** Objects whose owners are not there yet. */
  private waiting: Waiting[] = [];
  private readonly definitions: Definition[] = [];
  /** Objects whose creation was sent more than once. */
  private readonly lost = new Set<string>();
  /** Namespaces that a dry run would create. */
  private readonly dryNamespaces = new Set<string>();
  private readonly selects: (labels: Readonly<Record<string, string>>) => boolean;

  constructor(
    private readonly parts: ImportParts,
    private readonly options: ImportOptions,
  ) {
    const selector = options.selector === undefined ? undefined : parseLabelSelector(options.selector);
    this.selects = (labels) => selector?.matches(labels) !== false;
  }

  async run(kinds: readonly ArchivedKind[]): Promise<void> {
    const { target } = this.parts;
    await target.refresh();
    const stages = inStages(kinds);
    for (const [stage, ofStage] of stages.entries()) {
      for (const kind of ofStage) await this.kind(kind);
      if (stage === DEFINITIONS_STAGE && this.definitions.length > 0 && this.options.dryRun !== true) {
        const type = ofStage[0] && this.typeOf(ofStage[0]);
        if (type !== undefined) await target.established(type, this.definitions);
      }
      const late = new Set(this.waiting.map(({ kind }) => kind));
      const isFinal = stage === LAST_BEFORE_ADMISSION || stage === stages.length - 1;
      await this.settle(isFinal);
      for (const kind of late) this.parts.report.kindDone(kind);
    }
  }

  private async kind(kind: ArchivedKind): Promise<void> {
    const { archive, report } = this.parts;
    await inParallel(archive.places(kind), this.options.parallel, (place) => this.object(kind, place, false));
    report.kindDone(kind);
  }

  /** Imports objects whose owners are there by now. @param isFinal owners that are still missing are looked for by name */
  private async settle(isFinal: boolean): Promise<void> {
    for (;;) {
      const now = this.waiting;
      if (now.length === 0) return;
      this.waiting = [];
      await inParallel(now, this.options.parallel, ({ kind, place }) => this.object(kind, place, false));
      if (this.waiting.length < now.length) continue;
      if (!isFinal) break;
      const rest = this.waiting;
      this.waiting = [];
      await inParallel(rest, this.options.parallel, ({ kind, place }) => this.object(kind, place, true));
    }
  }

  private async object(kind: ArchivedKind, place: Place, isFinal: boolean): Promise<void> {
    const { session, archive, journal, report } = this.parts;
    if (session.signal.aborted) throw session.signal.reason;
    const object = archive.read(place);
    const metadata = metadataOf(object);
    const { name, namespace } = metadata;
    if (!this.isChosen(kind, metadata)) return report.step();
    const key = `${kindName(kind)}/${typeof namespace === "string" ? namespace : ""}/${String(name)}`;
    if (journal.isDone(key)) return report.before(kind);
    if (this.options.finished !== true && isFinished(object)) return report.leftOut("pods and jobs that have ended");
    const owners = ownersOf(metadata);
    if (!isFinal && owners.some(({ uid }) => !journal.uids.has(String(uid)))) {
      this.waiting.push({ kind, place });
      return;
    }
    report.step();
    try {
      await this.send(kind, key, object);
    } catch (error) {
      const isOfObject = error instanceof CliError || (error instanceof StatusError && error.code !== 401);
      if (!isOfObject) throw error;
      journal.failed(key);
      report.failed(kind, key, error);
    }
  }

  private isChosen(kind: ArchivedKind, metadata: JsonObject): boolean {
    const { namespace } = this.options;
    if (namespace !== undefined) {
      if (kind.namespaced && metadata["namespace"] !== namespace) return false;
      if (kind.group === "" && kind.resource === "namespaces" && metadata["name"] !== namespace) return false;
    }
    return this.selects((metadata["labels"] ?? {}) as Readonly<Record<string, string>>);
  }

  private async send(kind: ArchivedKind, key: string, object: JsonObject): Promise<void> {
    const { translation, target, journal, report } = this.parts;
    const was = text(metadataOf(object)["uid"]);
    const translated = translation?.object(object) ?? object;
    const { metadata, ...rest } = portableObject(translated, target.names, this.options);
    const namespace = text(metadataOf(translated)["namespace"]);
    const owned = { ...rest, metadata: await this.withOwners(metadata as JsonObject, namespace) };
    const wanted = withNewUids(owned, journal.uids) as JsonObject;
    const type = this.typeOf(kind);
    if (kind.resource === "customresourcedefinitions") this.defines(wanted);
    if (type === undefined) return this.unserved(kind);
    if (this.options.dryRun === true && namespace !== undefined && this.dryNamespaces.has(namespace)) {
      return report.unchecked(kind);
    }
    if (this.options.dryRun === true && kind.group === "" && kind.resource === "namespaces") {
      this.dryNamespaces.add(String(metadataOf(wanted)["name"]));
    }
    journal.begin(key);
    const { outcome, uid } = await this.put(key, type, wanted, namespace);
    journal.done(key, outcome, { was, uid });
    report.done(kind, key, outcome);
  }

  private unserved(kind: ArchivedKind): void {
    const { report } = this.parts;
    const group = this.groupOf(kind);
    const isDefined = this.definitions.some((each) => each.group === group && each.resource === kind.resource);
    if (this.options.dryRun === true && isDefined) report.unchecked(kind);
    else report.unserved(kind);
  }

  /** Creates the object, or treats the one that exists as the options say. */
  private async put(
    key: string,
    type: DiscoveredResource,
    wanted: JsonObject,
    namespace: string | undefined,
  ): Promise<{ readonly outcome: Outcome; readonly uid: string | undefined }> {
    const { client } = this.parts.target;
    const resource = namespace === undefined ? client.resource(type) : client.resource(type).namespace(namespace);
    const hasStatus = type.subresources.includes("status");
    const body = { ...wanted, apiVersion: type.group === "" ? type.version : `${type.group}/${type.version}` };
    const { status, ...withoutStatus } = body as JsonObject;
    const sent = hasStatus ? withoutStatus : body;
    const { dryRun = false } = this.options;
    const { signal } = this.parts.session;
    const isAsExported = body.apiVersion === wanted["apiVersion"];
    const write = { dryRun, signal, fieldValidation: isAsExported ? ("Warn" as const) : ("Strict" as const) };
    let answered = await this.created(key, () => resource.create(sent, write));
    let outcome: Outcome = "created";
    if (answered === undefined) {
      answered = await resource.get(String(metadataOf(wanted)["name"]), { signal });
      outcome = this.outcomeFor(key, answered, sent);
      if (outcome === "updated") answered = await resource.update(overExisting(sent, answered), write);
    }
    const writesStatus = this.options.status === true && !dryRun && hasStatus && outcome !== "kept";
    if (writesStatus && isObject(status) && !DERIVED_STATUS.has(type.resource)) {
      await putStatus(resource, answered, status, signal);
    }
    return { outcome, uid: text(metadataOf(answered)["uid"]) };
  }

  /** Sends a creation, again after a lost connection. @returns undefined when the object exists */
  private async created(key: string, create: () => Promise<JsonObject>): Promise<JsonObject | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await create();
      } catch (error) {
        if (isCode(error, 409) && error.reason === "AlreadyExists") {
          if (tries > 1) this.lost.add(key);
          return undefined;
        }
        const isPassing = error instanceof ConnectionError || isCode(error, 500, 503, 504);
        if (!isPassing || tries === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tries));
      }
    }
  }

  private outcomeFor(key: string, existing: JsonObject, wanted: JsonObject): Outcome {
    const { journal, target } = this.parts;
    if (hasAllOf(existing, wanted)) return "same";
    // An earlier run, or a try whose answer was lost, has created it; the server may have completed it.
    if (journal.wasBegun(key) || this.lost.has(key)) return "created";
    if (isMadeByServer(existing, target.names)) return "kept";
    if (this.options.existing === "update") return "updated";
    if (this.options.existing === "skip") return "kept";
    throw new CliError("the target has another object of this name: choose --existing=skip or --existing=update");
  }

  private async withOwners(metadata: JsonObject, namespace: string | undefined): Promise<JsonObject> {
    const { journal, target, report } = this.parts;
    if (!Array.isArray(metadata["ownerReferences"])) return metadata;
    const kept: JsonObject[] = [];
    for (const owner of ownersOf(metadata)) {
      const uid = journal.uids.get(String(owner["uid"])) ?? (await target.ownerUid(owner, namespace));
      if (uid === undefined) report.droppedOwner(`${String(owner["kind"])} ${String(owner["name"])}`);
      else kept.push({ ...owner, uid });
    }
    const { ownerReferences: _, ...rest } = metadata;
    return kept.length === 0 ? rest : { ...rest, ownerReferences: kept };
  }

  private defines(definition: JsonObject): void {
    const { spec } = definition;
    if (!isObject(spec) || !isObject(spec["names"])) return;
    const { plural } = spec["names"];
    this.definitions.push({
      name: String(metadataOf(definition)["name"]),
      group: String(spec["group"]),
      resource: String(plural),
    });
  }

  private typeOf(kind: ArchivedKind): DiscoveredResource | undefined {
    return this.parts.target.typeOf(kind, this.groupOf(kind));
  }

  private groupOf({ group }: ArchivedKind): string {
    return this.parts.translation?.group(group) ?? group;
  }
}

/** Resources whose status the server or the aggregator derives. */
const DERIVED_STATUS: ReadonlySet<string> = new Set(["customresourcedefinitions", "apiservices", "namespaces"]);
const STATUS_TRIES = 4;

async function putStatus(
  resource: ResourceClient,
  created: JsonObject,
  status: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  let object = created;
  for (let tries = 1; ; tries += 1) {
    try {
      await resource.updateStatus({ ...object, status }, { signal });
      return;
    } catch (error) {
      if (!isCode(error, 409) || tries === STATUS_TRIES) throw error;
      object = await resource.get(String(metadataOf(object)["name"]), { signal });
    }
  }
}

/** Returns the object as a replacement of the existing one, with what the server has allocated. */
function overExisting(wanted: JsonObject, existing: JsonObject): JsonObject {
  const { resourceVersion, uid } = metadataOf(existing);
  const made: JsonObject = { ...wanted, metadata: { ...metadataOf(wanted), resourceVersion, uid } as JsonObject };
  const [spec, before] = [made["spec"], existing["spec"]];
  if (!isObject(spec) || !isObject(before)) return made;
  const kept = ["clusterIP", "clusterIPs", "healthCheckNodePort", "selector"].filter(
    (key) => spec[key] === undefined && before[key] !== undefined,
  );
  return { ...made, spec: { ...Object.fromEntries(kept.map((key) => [key, before[key]])), ...spec } as JsonObject };
}

/** Tells whether the target made the object for itself: newer releases have other ones, which stay. */
function isMadeByServer(object: JsonObject, { labels, annotations }: ImportTarget["names"]): boolean {
  const metadata = metadataOf(object);
  const has = (key: string, member: "labels" | "annotations") => isObject(metadata[member]) && key in metadata[member];
  return (
    has(labels.bootstrapping, "labels") ||
    has(annotations.rbacAuthorizationAutoupdate, "annotations") ||
    has(annotations.apfAutoupdateSpec, "annotations") ||
    object["kind"] === "Namespace"
  );
}

function withNewUids(value: JsonValue, uids: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") return UID.test(value) ? (uids.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((each) => withNewUids(each, uids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNewUids(each as JsonValue, uids)]));
}

const ownersOf = ({ ownerReferences }: JsonObject): readonly JsonObject[] =>
  Array.isArray(ownerReferences) ? ownerReferences.filter(isObject) : [];

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
