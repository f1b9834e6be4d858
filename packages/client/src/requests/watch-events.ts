// Events of a watch stream.

import type { Readable } from "node:stream";
import { receivedStatusError } from "@orch/machinery";
import { isObject, type JsonValue, type OmittedMembers } from "@orch/schema";
import { jsonLines } from "./json-lines";

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /** All events up to this version have been sent. */
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      readonly annotations: Readonly<Record<string, string>>;
    };

/**
 * Yields the events.
 * @param omitted members left out of each object
 * @throws StatusError when the server ends the watch with an ERROR event; SyntaxError for anything but events;
 * ConnectionError
 */
export async function* watchEvents<T>(
  body: Readable,
  omitted?: OmittedMembers,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const line of jsonLines(body, omitted === undefined ? undefined : { object: omitted })) {
    const event: { readonly type?: unknown; readonly object?: unknown } = line;
    if (!isObject(event.object)) throw new SyntaxError("the server sent an event without an object in a watch");
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        yield event as { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T };
        break;
      case "BOOKMARK":
        yield bookmark(event.object);
        break;
      case "ERROR":
        throw receivedStatusError(event.object as JsonValue, { code: 500, text: "the watch ended with an error" });
      default: // type of a later release
    }
  }
}

function bookmark(object: unknown): WatchEvent<never> {
  const { metadata } = object as {
    readonly metadata?: { readonly resourceVersion?: string; readonly annotations?: Record<string, string> };
  };
  return {
    type: "BOOKMARK",
    resourceVersion: metadata?.resourceVersion ?? "",
    annotations: metadata?.annotations ?? {},
  };
}
