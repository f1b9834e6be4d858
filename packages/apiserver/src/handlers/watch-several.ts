// A watch of several resources over one connection: JSON lines or Server-Sent Events, resumable at one revision.
// Source: docs/lists.md, "Watches of several resources".
import { answered, byteProtocols, webSocketHandshake } from "@orch/http-server";
import { badRequest, parseWatchOptions, StatusError, type WatchOptions } from "@orch/machinery";
import type { PartEvent, SeveralWatcher, WatchEvent } from "@orch/registry";
import { type CollectionRequest, NO_QUERY, type ObjectForm, type RefusedPart, WATCH_PATH } from "@orch/request";
import { existsIn } from "@orch/schema";
import { joinId, letGoOfHead } from "../pipeline/let-go-of-head";
import { narrowed, selectionOf, shardsOf } from "./list";
import { PartFrames, SharedFrames, type StreamKind, streamKindFor } from "./several-frames";
import { elsewhere, notServedHere, type SeveralAsked, type SeveralDeps, withArrived } from "./several-parts";
import { warnOfUnreadable } from "./unreadable-warning";
import { INITIAL_EVENTS, lifetimeMs, preparation, type WatchFigures, watchFigures } from "./watch";
import { responseSink, webSocketSink } from "./watch-sink";
import { type StreamFigures, WatchStream } from "./watch-stream";

/** A part that this server serves. */
interface ServedPart {
  readonly name: string;
  readonly info: CollectionRequest;
  readonly form: ObjectForm;
}

export async function watchSeveral(deps: SeveralDeps, asked: SeveralAsked): Promise<void> {
  const { request, response, info } = asked;
  const { context } = request;
  context.servedPath = WATCH_PATH;
  const kind = streamKindFor(request.headers.accept);
  const handshake = webSocketHandshake(request, response, byteProtocols(deps.vocabulary));
  const { parts, refused } = await servedParts(deps, asked, kind);
  const { loop, vocabulary } = deps;
  const startMs = loop.nowMs;
  const options = optionsOf(deps, asked);
  const watched = parts.map(({ name, info: { route, key, query = NO_QUERY } }) => {
    const selection = named(name, () =>
      selectionOf(narrowed(parseWatchOptions(query, vocabulary, shardsOf(deps)), key.name), route),
    );
    return { storage: route.storage, namespace: key.namespace, selection, version: route.version };
  });
  if (loop.isOverSince(startMs)) await loop.next();
  const watcher = await deps.registry.watchTogether(
    watched,
    {
      start: options.start,
      sendInitialEvents: options.sendInitialEvents === true,
      changesOnly: options.sendInitialEvents === false,
      bookmarks: options.allowBookmarks && deps.gates.WatchBookmark,
      timeoutMs: lifetimeMs(options, deps),
    },
    { signal: context.end },
  );
  for (const part of parts) {
    warnOfUnreadable({ request, response, info: part.info });
    if (part.info.route.deprecation !== undefined) deps.deprecatedRequest(request, part.info.route);
  }
  // The client left while the watch was created.
  if (answered(response)) {
    watcher.close();
    return;
  }
  joinId(context);
  const shared = new SharedFrames(kind, vocabulary);
  const refusals = refused.map((part) => shared.refusal(part));
  context.stream = new WatchStream(
    streamOf(deps, { request, response, info }, { parts, watcher, kind, shared }),
    () => {
      const sink =
        handshake === undefined
          ? responseSink(response, kind.contentType, deps.flusher)
          : webSocketSink(response, handshake, true);
      if (refusals.length > 0) sink.write(refusals);
      return sink;
    },
  );
  letGoOfHead(request);
}

function streamOf(
  deps: SeveralDeps,
  { request: { context } }: SeveralAsked,
  {
    parts,
    watcher,
    kind,
    shared,
  }: {
    readonly parts: readonly ServedPart[];
    readonly watcher: SeveralWatcher;
    readonly kind: StreamKind;
    readonly shared: SharedFrames;
  },
) {
  const frames = parts.map(({ name, form }) => new PartFrames(name, form, kind));
  const prepares = parts.map(({ info: { route }, form }) => preparation(route, form, context.end));
  const figures = parts.map(({ info: { route } }) => watchFigures(deps, route));
  for (const each of figures) each.opened();
  return {
    context,
    watcher,
    flusher: deps.flusher,
    figures: new SeveralFigures(figures),
    prepare: (events: readonly PartEvent[]) => preparedAll(events, prepares),
    frame: (event: PartEvent) =>
      event.part === undefined ? shared.frame(event) : (frames[event.part] as PartFrames).frame(event),
  };
}

type Preparation = ReturnType<typeof preparation>;

/** Prepares the events of each resource. @returns undefined, nearly always, when there is nothing to wait for */
function preparedAll(events: readonly PartEvent[], prepares: readonly Preparation[]): Promise<void> | undefined {
  const byPart = new Map<number, WatchEvent[]>();
  for (const { part, event } of events) {
    if (part === undefined) continue;
    const own = byPart.get(part);
    if (own === undefined) byPart.set(part, [event]);
    else own.push(event);
  }
  const waits: Promise<void>[] = [];
  for (const [part, own] of byPart) {
    const wait = prepares[part]?.(own);
    if (wait !== undefined) waits.push(wait);
  }
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
}

/** Counts each event for its resource. */
class SeveralFigures implements StreamFigures<PartEvent> {
  constructor(private readonly parts: readonly WatchFigures[]) {}

  sent(frames: readonly Buffer[], events: readonly PartEvent[]): void {
    for (let at = 0; at < events.length; at += 1) {
      const { part } = events[at] as PartEvent;
      if (part !== undefined) this.parts[part]?.sent([frames[at] as Buffer]);
    }
  }

  closed(isTooSlow: boolean): void {
    for (const part of this.parts) part.closed(isTooSlow);
  }
}

/** An EventSource that connects again names the last revision that it has seen. */
const LAST_ID = "last-event-id";

/** The parameters of the whole watch. */
function optionsOf(deps: SeveralDeps, { request, info }: SeveralAsked): WatchOptions {
  const features = { ...shardsOf(deps), initialEventsByDefault: existsIn(INITIAL_EVENTS, deps.release) };
  const lastId = request.headers[LAST_ID];
  if (lastId === undefined || lastId === "")
    return parseWatchOptions(info.query ?? NO_QUERY, deps.vocabulary, features);
  if (typeof lastId !== "string" || !/^\d{1,16}$/.test(lastId))
    throw badRequest(`Last-Event-ID: ${JSON.stringify(String(lastId).slice(0, 100))} is not a resource version`);
  const query = new URLSearchParams(info.query);
  query.delete("sendInitialEvents");
  query.delete("resourceVersionMatch");
  query.set("resourceVersion", lastId);
  return parseWatchOptions(query, deps.vocabulary, features);
}

/**
 * Returns the parts that can be watched here, and those that are left out of a partial watch.
 * @throws StatusError NotFound (404), BadRequest (400) and NotAcceptable (406) that name the part
 */
async function servedParts(
  deps: SeveralDeps,
  asked: SeveralAsked,
  kind: StreamKind,
): Promise<{ readonly parts: readonly ServedPart[]; readonly refused: readonly RefusedPart[] }> {
  const { info, request } = asked;
  const parts: ServedPart[] = [];
  const refused: RefusedPart[] = [...info.refused];
  for (const part of await withArrived(deps, asked)) {
    if (part.info.kind === "collection") {
      const { name } = part;
      const shown = { route: part.info.route, query: info.query };
      const form = named(name, () => kind.form(deps.forms, { request, info: shown }));
      parts.push({ name, info: part.info, form });
      continue;
    }
    const why = part.info.kind === "remote" ? elsewhere(part.name) : notServedHere(deps.routes, part.name, part.info);
    if (!info.isPartial) throw why;
    refused.push({ name: part.name, why });
  }
  const [first] = refused;
  if (parts.length === 0 && first !== undefined) throw first.why;
  return { parts, refused };
}

/** Names the part in an error. */
function named<Result>(name: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new StatusError(error.reason, `${name}: ${error.message}`, error.details, { code: error.code });
  }
}
