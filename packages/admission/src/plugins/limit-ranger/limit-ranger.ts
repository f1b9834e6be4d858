// LimitRanger plugin: sets default requests and limits of containers, and enforces the limit ranges of a namespace.
// Source: plugin/pkg/admission/limitranger/admission.go.
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { EventLoopYielder } from "../../contract/dependencies";
import { definePlugin } from "../../contract/plugin";
import { forbidden } from "../../contract/refusal";
import { PODS, specOf } from "../../pods/pod-parts";
import { checksOf, type Subject, subjectsOfClaim, subjectsOfPod } from "./breaches";
import { combineRanges } from "./combined-ranges";
import { fillIn } from "./default-amounts";
import { itemsOf, type LimitItem } from "./limit-items";

export const limitRanger = definePlugin({
  name: "LimitRanger",
  reads: ["vocabulary", "objects", "yielder"],
  make({ vocabulary: { annotations }, objects, yielder }) {
    const ranges = objects.lister({ group: "", resource: "limitranges" });

    /** Runs `work` with the limit ranges of the namespace. Synchronous when there are none. */
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
          const ranges = await combineRanges(found, yielder);
          await fillIn(request, { pod, spec, annotation: annotations.limitRanger }, ranges, yielder);
        });
      },
      validate(request) {
        const { object } = request;
        if (object === undefined) return;
        return withRanges(request, async (found) => {
          const subjects = request.definition.plural === PODS.plural ? subjectsOfPod(object) : subjectsOfClaim(object);
          const ranges = await combineRanges(found, yielder);
          let first = found.length;
          for (const subject of subjects) {
            if (yielder.isOver) await yielder.next();
            first = ranges.firstAgainst(subject, first);
          }
          const refusing = found[first];
          if (refusing !== undefined) await refuse(request, breaches(itemsOf(refusing), subjects), yielder);
        });
      },
    };
  },
});

const CLAIMS = { group: "", plural: "persistentvolumeclaims", subresource: "" };

/** Maximum number of violations in a response. */
const TOLD_MAX = 100;

function* breaches(items: readonly LimitItem[], subjects: readonly Subject[]): Iterable<string | undefined> {
  for (const item of items) {
    for (const subject of subjects) {
      if (subject.type !== item.type) continue;
      for (const { list, check } of checksOf(item.type)) for (const bound of item[list]) yield check(bound, subject);
    }
  }
}

/** Refuses the request with all violations of one range. */
async function refuse(
  request: AdmissionRequest,
  breaches: Iterable<string | undefined>,
  yielder: EventLoopYielder,
): Promise<void> {
  const texts = new Set<string>();
  for (const text of breaches) {
    if (yielder.isOver) await yielder.next();
    if (text !== undefined) texts.add(text);
    if (texts.size === TOLD_MAX) break;
  }
  if (texts.size === 0) return;
  const [first] = texts;
  throw forbidden(request, texts.size === 1 ? (first as string) : `[${[...texts].join(", ")}]`);
}
