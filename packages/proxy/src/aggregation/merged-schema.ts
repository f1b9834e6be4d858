// The published schema of all served groups. The schemas of aggregated API servers are polled; a request for the whole
// schema waits for none of them.
import type { ExtensionServers, Registrations, RemoteRegistration } from "@orch/extensions";
import { Content, ContentHasher, contentHash } from "@orch/http-server";
import {
  type DocumentInfo,
  type DocumentPiece,
  type Form,
  JsonForm,
  ProtobufForm,
  type SchemaSource,
  Slices,
  type Version2Source,
  type Version3Document,
  Version3Documents,
  version3Url,
} from "@orch/openapi";
import { errorFields, type Log } from "@orch/platform";
import { isObject, type JsonValue } from "@orch/schema";
import { PolledDocuments } from "./polled-documents";
import { NO_SPEC, type RemoteSpec, readRemoteSpec } from "./remote-spec";
import { SpecMerger } from "./spec-merger";
import { version3Piece } from "./version3-of-version2";

export interface MergedSchemaParts {
  readonly local: SchemaSource;
  readonly registrations: Registrations;
  readonly servers: ExtensionServers;
  readonly logger: Log;
  /** Title and version of this server's own documents. */
  readonly info: DocumentInfo;
}

const SPEC_MAX_BYTES = 8 * 1024 * 1024;
/** Maximum size of an index: it is parsed in one go. */
const INDEX_MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 60_000;
const EVERY_MS = 60_000;
const MAX_MS = 3_600_000;
const STEP_BYTES = 256 * 1024;

/** "none": the server publishes no such document. */
type DocumentAddress = "none" | `/openapi/v3/${string}`;

interface Merged<Document> {
  /** This server's own document. */
  readonly of: Content;
  readonly generation: string;
  readonly making: Promise<Document>;
  isMade: boolean;
  /** The merged document, or the previous one while it is made. */
  made?: Document;
}

/** One content per form. */
type Contents = Readonly<Record<Form, () => Promise<Content>>>;

/** Only one merge runs at a time. */
const isOutdated = <Document>(merged: Merged<Document> | undefined, local: Content, generation: string): boolean =>
  merged === undefined || (merged.isMade && (merged.of !== local || merged.generation !== generation));

export class MergedSchema implements SchemaSource {
  private readonly specs: PolledDocuments<RemoteSpec>;
  /** Address of the document of each group version, as its own server publishes it. */
  private readonly addresses: PolledDocuments<DocumentAddress>;
  private polls = 0;
  private readonly stopping = new AbortController();
  private merged2: Merged<Contents> | undefined;
  private merged3: Merged<Content> | undefined;
  /** Documents of servers that publish no OpenAPI v3, converted from their OpenAPI v2. */
  private readonly made3: Version3Documents;
  private pieces3: { readonly of: string; readonly pieces: readonly DocumentPiece[] } = { of: "", pieces: [] };
  private readonly pieceOf = new WeakMap<RemoteSpec, DocumentPiece>();

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
    const { info } = parts;
    this.made3 = new Version3Documents({
      pieces: () => this.piecesNow(),
      json: new JsonForm("v3", info),
      protobuf: new ProtobufForm("v3", info),
      slices: new Slices(this.stopping.signal),
    });
    this.addresses = new PolledDocuments<DocumentAddress>({
      ...polled,
      what: "the index of the published schema",
      path: () => "/openapi/v3",
      maxBytes: INDEX_MAX_BYTES,
      read: ({ code, body }, registration) =>
        code === 200 ? addressIn(JSON.parse(body.toString("utf8")) as JsonValue, registration) : "none",
    });
  }

  close(): void {
    this.stopping.abort();
    this.specs.close();
    this.addresses.close();
  }

  version2(form: Form): Version2Source {
    const local = this.parts.local.version2(form);
    if (!this.parts.registrations.hasRemotes) return local;
    return { hash: () => undefined, content: () => this.content2(form) };
  }

  private async content2(form: Form): Promise<Content> {
    const local = await this.parts.local.version2("json").content();
    const generation = this.generation();
    if (isOutdated(this.merged2, local, generation)) {
      const alone: Contents = {
        json: async () => local,
        protobuf: () => this.parts.local.version2("protobuf").content(),
      };
      this.merged2 = this.begin(local, generation, {
        make: () => this.merge2(local),
        alone,
        former: this.merged2?.made,
      });
    }
    const merged = this.merged2?.made ?? (await this.merged2?.making);
    return merged?.[form]() ?? local;
  }

  async version3Index(): Promise<Content> {
    const local = await this.parts.local.version3Index();
    if (!this.parts.registrations.hasRemotes) return local;
    const generation = this.generation();
    if (isOutdated(this.merged3, local, generation)) {
      const make = () => this.merge3(local);
      this.merged3 = this.begin(local, generation, { make, alone: local, former: this.merged3?.made });
    }
    return this.merged3?.made ?? this.merged3?.making ?? local;
  }

  version3Document(path: string, form: Form): Promise<Version3Document | undefined> {
    return this.makes(path) ? this.made3.document(path, form) : this.parts.local.version3Document(path, form);
  }

  readonly makes = (path: string): boolean => this.piecesNow().some((piece) => piece.path === path);

  private piecesNow(): readonly DocumentPiece[] {
    const generation = this.generation();
    if (this.pieces3.of === generation) return this.pieces3.pieces;
    const pieces: DocumentPiece[] = [];
    for (const registration of this.parts.registrations.remotes()) {
      const { name } = registration;
      const index = this.addresses.of(name);
      const spec = this.specs.of(name)?.document;
      if (index === undefined || index.document !== "none" || spec === undefined || spec.paths.size === 0) continue;
      const piece = this.pieceOf.get(spec) ?? version3Piece(documentPath(registration), spec);
      this.pieceOf.set(spec, piece);
      pieces.push(piece);
    }
    this.pieces3 = { of: generation, pieces };
    return pieces;
  }

  private generation(): string {
    return `${this.parts.registrations.generation}/${this.polls}`;
  }

  /** @param of.former served until the next document is made; of.alone served when it cannot be made */
  private begin<Document>(
    local: Content,
    generation: string,
    of: {
      readonly make: () => Promise<Document>;
      readonly alone: Document;
      readonly former: Document | undefined;
    },
  ): Merged<Document> {
    const making = of.make().catch((error: unknown) => {
      if (!this.stopping.signal.aborted)
        this.parts.logger.error("published schemas could not be merged", errorFields(error));
      return of.alone;
    });
    const merged: Merged<Document> = {
      of: local,
      generation,
      making,
      isMade: false,
      ...(of.former !== undefined && { made: of.former }),
    };
    void making.then((made) => {
      merged.made = made;
      merged.isMade = true;
    });
    return merged;
  }

  private async merge2(local: Content): Promise<Contents> {
    const slices = new Slices(this.stopping.signal);
    const merger = await SpecMerger.of(await local.plain(), slices);
    for (const { name } of this.inOrder()) await merger.add(this.specs.of(name)?.document ?? NO_SPEC);
    const json = await joined(merger.json(), slices);
    const makeProtobuf = async () => {
      const [own, added] = await Promise.all([this.parts.local.version2("protobuf").content(), merger.protobuf()]);
      return joined([await own.plain(), ...added], slices);
    };
    let protobuf: Promise<Content> | undefined;
    return {
      json: async () => json,
      protobuf() {
        protobuf ??= makeProtobuf().catch((error: unknown) => {
          protobuf = undefined;
          throw error;
        });
        return protobuf;
      },
    };
  }

  /** Sorts by priority, highest first: the first definition of a name wins. */
  private inOrder(): readonly RemoteRegistration[] {
    return [...this.parts.registrations.remotes()].sort(
      (a, b) =>
        b.groupPriority - a.groupPriority || b.versionPriority - a.versionPriority || (a.name < b.name ? -1 : 1),
    );
  }

  private async merge3(local: Content): Promise<Content> {
    const { paths } = JSON.parse((await local.plain()).toString("utf8")) as { paths: Record<string, object> };
    for (const registration of this.parts.registrations.remotes()) {
      const path = documentPath(registration);
      const made = this.makes(path) ? await this.made3.document(path, "json") : undefined;
      const serverRelativeURL =
        made === undefined ? (this.addresses.of(registration.name)?.document ?? "none") : version3Url(path, made.hash);
      if (serverRelativeURL === "none") delete paths[path];
      else paths[path] = { serverRelativeURL };
    }
    const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
    const bytes = Buffer.from(JSON.stringify({ paths: sorted }));
    return new Content(bytes, contentHash(bytes), true);
  }
}

/** Large documents are megabytes; they are hashed and joined in slices. */
async function joined(made: Iterable<Buffer>, slices: Slices): Promise<Content> {
  const pieces = [...made];
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0));
  const hasher = new ContentHasher();
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += STEP_BYTES) {
      const step = piece.subarray(from, from + STEP_BYTES);
      hasher.add(step);
      at += step.copy(bytes, at);
      await slices.breathe();
    }
  }
  return new Content(bytes, hasher.hash(), true);
}

const documentPath = ({ group, version }: RemoteRegistration): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

/** Accepts an address only when it names the content and nothing else. */
function addressIn(index: JsonValue, registration: RemoteRegistration): DocumentAddress {
  const path = documentPath(registration);
  const paths = isObject(index) ? index["paths"] : undefined;
  const entry = isObject(paths) ? paths[path] : undefined;
  const url = isObject(entry) ? entry["serverRelativeURL"] : undefined;
  const [, hash] = /\?hash=([A-Za-z0-9]{1,128})$/.exec(typeof url === "string" ? url : "") ?? [];
  return hash === undefined ? "none" : `/openapi/v3/${path}?hash=${hash}`;
}
