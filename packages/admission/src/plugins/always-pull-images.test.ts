import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { fakeDependencies, requestOf } from "../testing/admission-request";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { alwaysPullImages } from "./always-pull-images";

const pulling = (policy?: string): JsonObject => ({
  name: "c",
  ...(policy !== undefined && { imagePullPolicy: policy }),
});
const LISTS = ["containers", "initContainers", "ephemeralContainers"] as const;
const POLICIES = [undefined, "Never", "IfNotPresent", "Always"] as const;

const ROWS = LISTS.flatMap((list) => POLICIES.map((policy) => [list, policy] as const));

test.each(ROWS)("images of %s that say %s are pulled always", async (list, policy) => {
  const before = podOf({ containers: [pulling("Always")], [list]: [pulling(policy), pulling(policy)] });
  const after = podOf({ containers: [pulling("Always")], [list]: [pulling("Always"), pulling("Always")] });
  expect(await outcomeOf(alwaysPullImages, newPod(before))).toEqual(after);
  expect(await outcomeOf(alwaysPullImages, changedPod(before, before))).toEqual(after);
  expect(await outcomeOf(undefined, newPod(before))).toEqual(before);
  const status = newPod(before, { subresource: "status", operation: "UPDATE" });
  expect(await outcomeOf(alwaysPullImages, status)).toEqual(before);
});

/** Cases in which another plugin has changed the pull policy again. */
test.each<[what: string, spec: JsonObject, refusal: string]>([
  [
    "one",
    { containers: [pulling("Always"), pulling("Never")] },
    'spec.containers[1].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    "none",
    { containers: [pulling()] },
    'spec.containers[0].imagePullPolicy: Unsupported value: "": supported values: "Always"',
  ],
  [
    "that of an init container",
    { containers: [], initContainers: [pulling("IfNotPresent")] },
    'spec.initContainers[0].imagePullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"',
  ],
  [
    "that of an ephemeral container",
    { containers: [], ephemeralContainers: [pulling("Never")] },
    'spec.ephemeralContainers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    "several",
    { initContainers: [pulling("Never")], containers: [pulling("Never")] },
    '[spec.initContainers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always", ' +
      'spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"]',
  ],
])("%s that is changed afterwards is refused", (_what, spec, refusal) => {
  const { validate } = alwaysPullImages.make(fakeDependencies());
  const message = `pods "p" is forbidden: ${refusal}`;
  expect(() => validate?.(requestOf(newPod(podOf(spec))))).toThrow(expect.objectContaining({ code: 403, message }));
});

const imageOf = (image: string, policy: string): JsonObject => ({ name: "c", image, imagePullPolicy: policy });

/** Updates of a pod that was created before the plugin was enabled. */
test.each<
  [what: string, release: string, list: string, old: readonly string[], next: readonly string[], after: string]
>([
  ["in an earlier release", "1.20", "containers", ["a"], ["a"], "Always"],
  ["with its own image", "1.21", "containers", ["a"], ["a"], "Never"],
  ["with its own images in turns", "1.21", "containers", ["a", "b"], ["b", "a"], "Never"],
  ["with its own images, in the latest release", "1.26", "initContainers", ["a", "b"], ["a", "a"], "Never"],
  ["with a new image", "1.21", "containers", ["a"], ["b"], "Always"],
  ["with a new image among others", "1.21", "initContainers", ["a", "b"], ["a", "c"], "Always"],
  ["with a new container", "1.23", "ephemeralContainers", [], ["a"], "Always"],
])("an update %s (%s)", async (_what, release, list, old, next, after) => {
  const pod = (images: readonly string[], policy: string) =>
    podOf({ containers: [], [list]: images.map((image) => imageOf(image, policy)) });
  const outcome = await outcomeOf(alwaysPullImages, changedPod(pod(next, "Never"), pod(old, "Never")), {
    dependencies: { release },
  });
  expect(outcome).toEqual(pod(next, after));
});
