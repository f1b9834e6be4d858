// AlwaysPullImages plugin: sets the pull policy Always, so that a private image that is already on a node needs pull
// credentials too. Source: plugin/pkg/admission/alwayspullimages/admission.go.
import { type AdmissionRequest, ERRORS_MAX, field } from "@orch/machinery";
import { existsIn, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { type ContainerList, containersIn, containersOf, ON_PODS, specOf } from "../pods/pod-parts";

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

/**
 * Releases that skip updates without new images. In earlier releases, no update passes for a pod that was created
 * before the plugin was enabled, because its pull policy cannot change.
 */
const SPARES_OLD = { since: "1.21" };

function bringsImages({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== "UPDATE") return true;
  const imagesOf = (pod: JsonObject | undefined) =>
    [...containersOf(specOf(pod) ?? {}, ...LISTS)].map(({ image }) => image);
  const known = new Set(imagesOf(oldObject));
  return imagesOf(object).some((image) => !known.has(image));
}

/** Checks the pull policy, which later plugins may have changed. */
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
