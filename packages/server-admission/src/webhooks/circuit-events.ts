// Reports webhooks whose calls are suspended or limited: an Event beside the webhook configuration, which all replicas
// count up.
import { createHash } from "node:crypto";
import { DEFAULT_NAMESPACE } from "@orch/apis";
import { type GroupResource, metaOf, StatusError, timestamp } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "@orch/served-resources";
import type { KnownCircuit } from "./webhook-circuits";

export interface CircuitEventDeps {
  /** Undefined where it is not served. */
  readonly storage: (of: GroupResource) => ResourceStorage | undefined;
  readonly vocabulary: Vocabulary;
  /** Milliseconds since 1970. */
  now(): number;
}

type CircuitNews = "WebhookFailing" | "WebhookAnswering";

/**
 * The same news of the same webhook is one Event with a count.
 * @throws StatusError when the store does not accept it
 */
export async function reportCircuit(deps: CircuitEventDeps, news: CircuitNews, known: KnownCircuit): Promise<void> {
  const { vocabulary, now } = deps;
  const { kind, configuration } = known.target;
  const resource = `${kind.toLowerCase()}s`;
  const owner = deps.storage({ group: vocabulary.groups.admissionregistration, resource });
  const object = owner?.peek({ namespace: "", name: configuration })?.whole();
  const events = deps.storage({ group: "", resource: "events" });
  if (object === undefined || events === undefined) return;
  const namespace = DEFAULT_NAMESPACE;
  const time = timestamp(now());
  const event = eventOf(object, news, known, { namespace, time, component: vocabulary.programs.apiserver });
  // The write skips admission webhooks, one of which is failing already.
  const write = { ...serverWrite(events, vocabulary), admitted: true } as const;
  try {
    await events.create(event, { namespace, name: "" }, write);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    const again = (old: JsonObject): JsonObject => ({
      ...old,
      message: event["message"] ?? "",
      count: Number(old["count"] ?? 1) + 1,
      lastTimestamp: time,
    });
    await events.changeInPlace(again, { namespace, name: metaOf(event).name ?? "" }, write);
  }
}

/** Maximum length of the reason in the message. */
const WHY_CHARACTERS = 400;

function eventOf(
  object: JsonObject,
  news: CircuitNews,
  { target, circuit }: KnownCircuit,
  of: { readonly namespace: string; readonly time: string; readonly component: string },
): JsonObject {
  const { namespace, time, component } = of;
  const { name = "", uid = "" } = metaOf(object);
  const mark = createHash("sha256").update(`${uid} ${news} ${target.name}`).digest("hex").slice(0, 16);
  const { apiVersion = "" } = object;
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: { namespace, name: `${name}.${mark}` },
    involvedObject: { kind: target.kind, apiVersion, name, uid },
    type: news === "WebhookFailing" ? "Warning" : "Normal",
    reason: news,
    message:
      news === "WebhookFailing"
        ? `Webhook ${target.name} is ${MEANING[target.failurePolicy]}: ${circuit.standing()}: ${circuit.lastFailure.slice(0, WHY_CHARACTERS)}`
        : `Webhook ${target.name} has recovered.`,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

const MEANING = {
  Ignore: "skipped for a while",
  Fail: "called for a few requests at a time; the requests that it must review fail",
} as const;
