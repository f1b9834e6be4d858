// Events that the server itself reports on objects. The same finding is the same event on every replica: repetitions
// increase its count.
import { createHash } from "node:crypto";
import { DEFAULT_NAMESPACE } from "@orch/apis";
import { isReason, metaOf, timestamp } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";

export interface OwnEventsDeps {
  readonly events: ResourceStorage;
  readonly vocabulary: Vocabulary;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface OwnEvent {
  readonly reason: string;
  readonly message: string;
  /** Component that reports the event. */
  readonly source: string;
  /** Text that distinguishes events of one reason on one object. */
  readonly mark: string;
}

/** Writes a warning event on an object. @throws StatusError when it cannot be stored */
export async function reportOwnEvent(deps: OwnEventsDeps, object: JsonObject, event: OwnEvent): Promise<void> {
  const { events, vocabulary, now } = deps;
  const time = timestamp(now());
  const made = eventOn(object, event, time);
  const { namespace = "", name = "" } = metaOf(made);
  try {
    await events.create(made, { namespace, name: "" }, serverWrite(events, vocabulary));
  } catch (error) {
    if (!isReason(error, "AlreadyExists")) throw error;
    const again = (old: JsonObject): JsonObject => ({
      ...old,
      count: Number(old["count"] ?? 1) + 1,
      lastTimestamp: time,
    });
    await events.changeInPlace(again, { namespace, name }, serverWrite(events, vocabulary));
  }
}

function eventOn(object: JsonObject, { reason, message, source, mark }: OwnEvent, time: string): JsonObject {
  const { name = "", uid = "", namespace } = metaOf(object);
  const id = createHash("sha256").update(`${uid} ${mark}`).digest("hex").slice(0, 16);
  const { kind, apiVersion } = object;
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: { namespace: namespace ?? DEFAULT_NAMESPACE, name: `${name}.${id}` },
    involvedObject: {
      ...{ kind: kind ?? "", apiVersion: apiVersion ?? "" },
      ...(namespace === undefined ? {} : { namespace }),
      ...{ name, uid },
    },
    type: "Warning",
    reason,
    message,
    source: { component: source },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
