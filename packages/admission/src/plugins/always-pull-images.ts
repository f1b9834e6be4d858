// Makes nodes ask the registry of an image each time: whoever may not pull a private image cannot use one that lies there already.
// Source: facts, admission/plugins.md "Pod mutation and placement plugins".
import { type AdmissionRequest, ERRORS_MAX, field } from "@orch/machinery";
import { existsIn, type JsonObject } from "@orch/schema";
import { definePlugin } from "../plugin";
import { type ContainerList, containersIn, containersOf, ON_PODS, specOf } from "../pods/pod-parts";
import { forbidden } from "../refusal";

const LISTS: readonly ContainerList[] = ["initContainers", "containers", "ephemeralContainers"];
const POLICY = "Always";

export const alwaysPullImages = definePlugin({
  name: "AlwaysPullImages",
  reads: ["release"],
  make({ release }) {
    const sparesOld = existsIn(SPARES_OLD, release);
    const looksAt = (request: AdmissionRequest): boolean => !sparesOld || bringsImages(request);
    return {
      on: ON_PODS,
      mutate(request) {
        const spec = specOf(request.object);
        if (spec === undefined || !looksAt(request)) return;
        for (const container of containersOf(spec, ...LISTS)) container["imagePullPolicy"] = POLICY;
      },
      validate: (request) => (looksAt(request) ? validate(request) : undefined),
    };
  },
});

/** Nobody may change the policy of a pod that was there before the plugin was on: in earlier releases, no update of it passes. */
const SPARES_OLD = { since: "1.21" };

function bringsImages({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== "UPDATE") return true;
  const imagesOf = (pod: JsonObject | undefined) =>
    [...containersOf(specOf(pod) ?? {}, ...LISTS)].map(({ image }) => image);
  const known = new Set(imagesOf(oldObject));
  return imagesOf(object).some((image) => !known.has(image));
}

/** Others may have changed it back. */
function validate(request: AdmissionRequest): void {
  const spec = specOf(request.object);
  if (spec === undefined) return;
  const errors = LISTS.flatMap((list) =>
    containersIn(spec, list).flatMap(({ imagePullPolicy = "" }, at) =>
      imagePullPolicy === POLICY
        ? []
        : [field.notSupported(`spec.${list}[${at}].imagePullPolicy`, imagePullPolicy, [POLICY])],
    ),
  );
  if (errors.length === 0) return;
  const texts = errors.slice(0, ERRORS_MAX).map(field.fieldErrorText);
  throw forbidden(request, texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`);
}
