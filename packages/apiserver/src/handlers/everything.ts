// All that lies in a namespace and that the client may list, as JSON lines: one object in each, at one revision, and a
// summary in the last one. Source: docs/lists.md, "Everything in a namespace".
import { JSON_TYPE } from "@orch/http-server";
import { NOT_ACCEPTABLE_TEXT, notAcceptable, parseAccept, StatusError, toStatus } from "@orch/machinery";
import { ClientGoneError } from "@orch/platform";
import type { Entry, JointState } from "@orch/registry";
import { type CollectionRequest, EVERYTHING, PieceWriter, preparedFor, renderDeferred } from "@orch/request";
import { MeasuredTurns, pieceSender } from "./list-answer";
import { elsewhere, notServedHere, type SeveralAsked, type SeveralDeps, withArrived } from "./several-parts";

const LINES_TYPE = "application/x-ndjson";
const ACCEPTED: ReadonlySet<string> = new Set([LINES_TYPE, JSON_TYPE, "application/*", "*/*"]);
/** Number of objects that are prepared together. */
const BATCH = 64;

interface ListedPart {
  readonly name: string;
  readonly info: CollectionRequest;
}

export async function answerEverything(deps: SeveralDeps, asked: SeveralAsked): Promise<void> {
  const { request, response, info } = asked;
  const { context } = request;
  context.servedPath = `/api/v1/namespaces/{namespace}/${EVERYTHING}`;
  const { accept = "" } = request.headers;
  if (accept !== "" && !parseAccept(accept).some(({ type }) => ACCEPTED.has(type)))
    throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes([LINES_TYPE]));
  const parts = await listedParts(deps, asked);
  const storages = parts.map((part) => part.info.route.storage);
  const namespace = parts[0]?.info.namespace ?? "";
  const joint = await deps.registry.readTogether(storages, namespace, { signal: context.end });
  const send = pieceSender(response, LINES_TYPE, () => undefined);
  const out = new PieceWriter(deps.pieces, send, new MeasuredTurns(deps.loop, context));
  context.startWork();
  try {
    out.copy(await linesOf(deps, asked, { parts, joint, out, forbidden: info.refused.length }));
    await out.end();
  } finally {
    context.stopWork();
  }
}

/** @throws StatusError NotFound (404) and BadRequest (400) that name the resource */
async function listedParts(deps: SeveralDeps, asked: SeveralAsked): Promise<readonly ListedPart[]> {
  return (await withArrived(deps, asked)).map(({ name, info }) => {
    if (info.kind === "collection") return { name, info };
    throw info.kind === "remote" ? elsewhere(name) : notServedHere(deps.routes, name, info);
  });
}

interface Contents {
  readonly parts: readonly ListedPart[];
  readonly joint: JointState;
  readonly out: PieceWriter;
  readonly forbidden: number;
}

/** Writes the objects. @returns the last line; the answer has begun, so that an error is one too */
async function linesOf(deps: SeveralDeps, asked: SeveralAsked, contents: Contents): Promise<Buffer> {
  const { parts, joint, out, forbidden } = contents;
  const kinds: { readonly resource: string; readonly objects: number }[] = [];
  const inOtherStores: string[] = [];
  let objects = 0;
  let unreadable = 0;
  try {
    for (const [at, part] of parts.entries()) {
      const state = joint.states[at];
      if (state === undefined) {
        inOtherStores.push(part.name);
        continue;
      }
      const { route, key } = part.info;
      unreadable += route.storage.unreadable(key.namespace, 0).count;
      if (state.size === 0) continue;
      await writeObjects(deps, asked, part, state, out);
      kinds.push({ resource: part.name, objects: state.size });
      objects += state.size;
    }
  } catch (error) {
    if (error instanceof ClientGoneError || !(error instanceof StatusError)) throw error;
    return lineOf(toStatus(error));
  }
  return lineOf({
    kind: "NamespaceContents",
    apiVersion: `${deps.vocabulary.groups.meta}/v1`,
    metadata: { resourceVersion: String(joint.resourceVersion) },
    objects,
    kinds,
    forbidden,
    ...(inOtherStores.length > 0 && { inOtherStores }),
    ...(unreadable > 0 && { unreadable }),
  });
}

const lineOf = (document: object): Buffer => Buffer.from(`${JSON.stringify(document)}\n`);

async function writeObjects(
  { forms }: SeveralDeps,
  { request }: SeveralAsked,
  { info: { route } }: ListedPart,
  state: { readonly size: number; at(index: number): Entry | undefined },
  out: PieceWriter,
): Promise<void> {
  const form = forms.compact(route);
  for (let from = 0; from < state.size; from += BATCH) {
    const entries: Entry[] = [];
    for (let at = from; at < Math.min(from + BATCH, state.size); at += 1) {
      const entry = state.at(at);
      if (entry !== undefined) entries.push(entry);
    }
    const waiting = preparedFor(route, entries, request.context.end);
    if (waiting !== undefined) await waiting;
    for (const entry of entries) {
      const rendered = renderDeferred(form, route, entry);
      const bytes = rendered instanceof Promise ? await rendered : rendered;
      out.copy(bytes);
      if (bytes.at(-1) !== NEWLINE) out.byte(NEWLINE);
      if (out.isFull || out.yielder.isOver) await out.sendFull();
    }
  }
}

const NEWLINE = 0x0a;
