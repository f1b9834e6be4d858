// The published schema of all that is served, whoever answers for it. What extension servers publish is asked for now and then; whoever asks for
// the whole waits for none of them.
import type { ExtensionServers, Registrations, RemoteRegistration } from "@orch/extensions";
import { errorFields } from "@orch/platform";
import { isObject, type JsonValue } from "@orch/schema";
import type { Content } from "../http/content-answer";
import type { Logger } from "../logging/logger";
import { contentOf, type PublishedDocument, type Version3Documents } from "../openapi/published-documents";
import type { SchemaSource } from "../openapi/published-schema";
import { Slices } from "../openapi/slices";
import { PolledDocuments } from "./polled-documents";
import { NO_SPEC, type RemoteSpec, readRemoteSpec } from "./remote-spec";
import { SpecMerger } from "./spec-merger";

export interface MergedSchemaParts {
  readonly local: SchemaSource;
  readonly registrations: Registrations;
  readonly servers: ExtensionServers;
  readonly logger: Logger;
}

const SPEC_MAX_BYTES = 8 * 1024 * 1024;
/** Read at once. */
const INDEX_MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 60_000;
const EVERY_MS = 60_000;
const MAX_MS = 3_600_000;

interface Merged<Document> {
  /** This server's own. */
  readonly of: Document;
  readonly generation: string;
  readonly making: Promise<Document>;
  isMade: boolean;
  /** It, or the one before it for as long as it is made. */
  made?: Document;
}

/** One at a time is made. */
const isOutdated = <Document>(merged: Merged<Document> | undefined, local: Document, generation: string): boolean =>
  merged === undefined || (merged.isMade && (merged.of !== local || merged.generation !== generation));

export class MergedSchema implements SchemaSource {
  private readonly specs: PolledDocuments<RemoteSpec>;
  /** Where the document of the group version is, as its own server says. */
  private readonly addresses: PolledDocuments<string | undefined>;
  private polls = 0;
  private readonly stopping = new AbortController();
  private merged2: Merged<PublishedDocument> | undefined;
  private merged3: Merged<Version3Documents> | undefined;

  constructor(private readonly parts: MergedSchemaParts) {
    const polled = {
      ...parts,
      accept: "application/json",
      timeoutMs: TIMEOUT_MS,
      everyMs: EVERY_MS,
      maxMs: MAX_MS,
      changed: () => {
        this.polls += 1;
      },
    };
    this.specs = new PolledDocuments<RemoteSpec>({
      ...polled,
      what: "the published schema",
      path: () => "/openapi/v2",
      maxBytes: SPEC_MAX_BYTES,
      read: async ({ code, body }, registration, signal) =>
        code === 200 ? readRemoteSpec(body, registration, new Slices(signal)) : NO_SPEC,
    });
    this.addresses = new PolledDocuments<string | undefined>({
      ...polled,
      what: "the index of the published schema",
      path: () => "/openapi/v3",
      maxBytes: INDEX_MAX_BYTES,
      read: ({ code, body }, registration) =>
        code === 200 ? addressIn(JSON.parse(body.toString("utf8")) as JsonValue, registration) : undefined,
    });
  }

  close(): void {
    this.stopping.abort();
    this.specs.close();
    this.addresses.close();
  }

  async version2(): Promise<PublishedDocument> {
    const local = await this.parts.local.version2();
    if (!this.parts.registrations.hasRemotes) return local;
    const generation = this.generation();
    if (isOutdated(this.merged2, local, generation)) {
      const former = this.merged2?.made;
      this.merged2 = this.begin(local, generation, () => this.merge2(local), former);
    }
    return this.merged2?.made ?? this.merged2?.making ?? local;
  }

  async version3(): Promise<Version3Documents> {
    const local = await this.parts.local.version3();
    if (!this.parts.registrations.hasRemotes) return local;
    const generation = this.generation();
    if (isOutdated(this.merged3, local, generation)) {
      this.merged3 = this.begin(local, generation, () => this.merge3(local), this.merged3?.made);
    }
    return this.merged3?.made ?? this.merged3?.making ?? local;
  }

  private generation(): string {
    return `${this.parts.registrations.generation}/${this.polls}`;
  }

  /** @param former is shown until the next one is made */
  private begin<Document>(
    local: Document,
    generation: string,
    make: () => Promise<Document>,
    former: Document | undefined,
  ): Merged<Document> {
    const making = make().catch((error: unknown) => {
      if (!this.stopping.signal.aborted)
        this.parts.logger.error("published schemas could not be merged", errorFields(error));
      return local;
    });
    const merged: Merged<Document> = {
      of: local,
      generation,
      making,
      isMade: false,
      ...(former !== undefined && { made: former }),
    };
    void making.then((made) => {
      merged.made = made;
      merged.isMade = true;
    });
    return merged;
  }

  private async merge2(local: PublishedDocument): Promise<PublishedDocument> {
    const slices = new Slices(this.stopping.signal);
    const merger = await SpecMerger.of(local.json.bytes, slices);
    for (const { name } of this.inOrder()) await merger.add(this.specs.of(name)?.document ?? NO_SPEC);
    let protobuf: Promise<Required<Content>> | undefined;
    return {
      json: await contentOf(merger.json(), slices),
      protobuf() {
        protobuf ??= Promise.all([local.protobuf(), merger.protobuf()]).then(([{ bytes }, added]) =>
          contentOf([bytes, ...added], slices),
        );
        return protobuf;
      },
    };
  }

  /** Those of the higher priority first: of what two say, the first counts. */
  private inOrder(): readonly RemoteRegistration[] {
    return [...this.parts.registrations.remotes()].sort(
      (a, b) =>
        b.groupPriority - a.groupPriority || b.versionPriority - a.versionPriority || (a.name < b.name ? -1 : 1),
    );
  }

  private async merge3(local: Version3Documents): Promise<Version3Documents> {
    const { paths } = JSON.parse(local.index.bytes.toString("utf8")) as { paths: Record<string, object> };
    for (const registration of this.parts.registrations.remotes()) {
      const path = documentPath(registration);
      const serverRelativeURL = this.addresses.of(registration.name)?.document;
      if (serverRelativeURL === undefined) delete paths[path];
      else paths[path] = { serverRelativeURL };
    }
    const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
    const slices = new Slices(this.stopping.signal);
    return { byPath: local.byPath, index: await contentOf([Buffer.from(JSON.stringify({ paths: sorted }))], slices) };
  }
}

const documentPath = ({ group, version }: RemoteRegistration): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

/** Only where it names the content, and nothing else. */
function addressIn(index: JsonValue, registration: RemoteRegistration): string | undefined {
  const path = documentPath(registration);
  const paths = isObject(index) ? index["paths"] : undefined;
  const entry = isObject(paths) ? paths[path] : undefined;
  const url = isObject(entry) ? entry["serverRelativeURL"] : undefined;
  const [, hash] = /\?hash=([A-Za-z0-9]{1,128})$/.exec(typeof url === "string" ? url : "") ?? [];
  return hash === undefined ? undefined : `/openapi/v3/${path}?hash=${hash}`;
}
