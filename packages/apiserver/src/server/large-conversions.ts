// Conversion webhooks for large objects or answers: a large-object worker calls them and reads the answers.
import { type ConverterFactory, type Definition, webhookConverters } from "@orch/extensions";
import type { ObjectConverter, WorkerConverter } from "@orch/machinery";
import { type ConversionWebhookParts, converterParts } from "@orch/served-resources";
import { FairQueue } from "../large-objects/fair-queue";
import type { LargeObjectWorkers } from "../large-objects/large-object-workers";

/** Maximum number of values of an answer that this thread parses: some ten milliseconds of work. */
const VALUES_HERE = 10_000;
/** Concurrent conversions per definition, which bound the memory and time that a hanging webhook takes. */
const RUNNING = 2;
const ANY = Number.POSITIVE_INFINITY;

/** @param largeObjectWorkers undefined when there are none; all conversions then run in this thread */
export function sharedConversionWebhooks(
  parts: ConversionWebhookParts,
  largeObjectWorkers: LargeObjectWorkers | undefined,
): ConverterFactory {
  if (largeObjectWorkers === undefined) return webhookConverters(converterParts(parts));
  const converterFor = webhookConverters({ ...converterParts(parts), valuesHere: VALUES_HERE });
  const shared = (definition: Definition): ObjectConverter => {
    const converter = converterFor(definition);
    return {
      convert: (...asked) => converter.convert(...asked),
      elsewhere: elsewhereOf(definition, largeObjectWorkers),
    };
  };
  return Object.assign(shared, { close: () => converterFor.close() });
}

function elsewhereOf({ spec }: Definition, largeObjectWorkers: LargeObjectWorkers): WorkerConverter {
  const served = (spec.versions ?? []).find((each) => each.served)?.name ?? "";
  const route = `${spec.group}/${served}/${spec.names.plural}`;
  const queue = new FairQueue({ running: RUNNING, waiting: ANY, waitingOfOne: ANY, waitingBytes: ANY });
  return async (objects, { to }, signal) => {
    const work = { route, to: to.apiVersion, objects };
    return (await queue.run({ user: "", bytes: 0 }, signal, () => largeObjectWorkers.convert(work, signal))) ?? [];
  };
}
