// What pods and claims of a namespace may ask for, and what containers get that do not say. Source: facts, admission/plugins.md "LimitRanger".
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../../plugin";
import { PODS, specOf } from "../../pods/pod-parts";
import { forbidden } from "../../refusal";
import type { LoopTurns } from "../../world";
import { breachesOfClaim, breachesOfPod } from "./breaches";
import { DefaultAmounts } from "./default-amounts";
import { itemsOf } from "./limit-items";

export const limitRanger = definePlugin({
  name: "LimitRanger",
  reads: ["vocabulary", "objects", "turns"],
  make({ vocabulary: { annotations }, objects, turns }) {
    const ranges = objects.followed({ group: "", resource: "limitranges" });

    /** Waits for nothing where the namespace has no ranges. */
    function withRanges(
      request: AdmissionRequest,
      work: (found: readonly JsonObject[]) => Promise<void>,
    ): void | Promise<void> {
      const { oldObject } = request;
      if (oldObject !== undefined && (metaOf(oldObject).deletionTimestamp ?? "") !== "") return;
      const found = ranges.in(request.namespace);
      if (found instanceof Promise) return found.then((late) => (late.length === 0 ? undefined : work(late)));
      if (found.length > 0) return work(found);
    }

    return {
      on: [
        { operations: ["CREATE"], resources: [PODS] },
        { operations: ["CREATE", "UPDATE"], resources: [CLAIMS] },
      ],
      mutate(request) {
        const { object: pod } = request;
        const spec = request.definition.plural === PODS.plural ? specOf(pod) : undefined;
        if (pod === undefined || spec === undefined) return;
        return withRanges(request, async (found) => {
          const amounts = new DefaultAmounts(request, spec);
          for (const range of found) {
            if (turns.isOver) await turns.next();
            amounts.take(itemsOf(range));
          }
          amounts.writeDown(pod, annotations.limitRanger);
        });
      },
      validate: (request) =>
        withRanges(request, async (found) => {
          const { object } = request;
          if (object === undefined) return;
          const breachesOf =
            request.definition.plural === PODS.plural ? breachesOfPod(object) : breachesOfClaim(object);
          for (const range of found) await refuse(request, breachesOf(itemsOf(range)), turns);
        }),
    };
  },
});

const CLAIMS = { group: "", plural: "persistentvolumeclaims", subresource: "" };

/** Of what is wrong, an answer tells no more. */
const TOLD_MAX = 100;

/** All that one range has against it. */
async function refuse(
  request: AdmissionRequest,
  breaches: Iterable<string | undefined>,
  turns: LoopTurns,
): Promise<void> {
  const texts = new Set<string>();
  for (const text of breaches) {
    if (turns.isOver) await turns.next();
    if (text !== undefined) texts.add(text);
    if (texts.size === TOLD_MAX) break;
  }
  if (texts.size === 0) return;
  const [first] = texts;
  throw forbidden(request, texts.size === 1 ? (first as string) : `[${[...texts].join(", ")}]`);
}
