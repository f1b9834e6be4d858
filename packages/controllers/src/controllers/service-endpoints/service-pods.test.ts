import { expect, test } from "@jest/globals";
import type { ObjectView } from "@orch/client";
import type { coreV1 } from "@orch/schema";
import { reachablePod } from "../../framework/cached-parts";
import { webPod, webService } from "../../testing/service-objects";
import { anchorValues, labelValues, podsBehind, servicesOf, servicesOfChange } from "./service-pods";

function viewOf<T>(objects: readonly T[], valuesOf: (object: T) => readonly string[]) {
  return {
    byIndex: (_index: string, value: string) => objects.filter((each) => valuesOf(each).includes(value)),
  } as unknown as ObjectView<T>;
}

const named = (name: string, selector: Record<string, string>) => webService({ selector }, { name });
const web = named("web", { app: "web" });
const both = named("both", { tier: "front", app: "web" });
const other = named("other", { app: "other" });
const services = viewOf([web, both, other, named("none", {})], anchorValues);
const names = (found: readonly coreV1.Service[]) => found.map(({ metadata }) => metadata?.name).sort();
const front = { app: "web", tier: "front" };

test("pods are behind a service that selects them, and services found by their pods", () => {
  const pods = [webPod(1), webPod(2, { labels: front }), webPod(3, { labels: { app: "other" } })];
  const view = viewOf(pods, labelValues);
  expect([web, both, other].map((service) => podsBehind(service, view).length)).toEqual([2, 1, 1]);
  expect(pods.map((pod) => names(servicesOf(pod, services)))).toEqual([["web"], ["both", "web"], ["other"]]);
});

test.each<[string, coreV1.Pod | undefined, coreV1.Pod, string[]]>([
  ["that is new", undefined, webPod(1, { labels: front }), ["both", "web"]],
  ["that has other annotations", webPod(1), webPod(1), []],
  ["that is ready", webPod(1, { isReady: false }), webPod(1), ["web"]],
  ["that has an address", webPod(1, { ips: [] }), webPod(1), ["web"]],
  ["that is being deleted", webPod(1), webPod(1, { isDeleting: true }), ["web"]],
  ["that has ended", webPod(1), webPod(1, { phase: "Failed" }), ["web"]],
  ["that has a label more", webPod(1), webPod(1, { labels: front }), ["both"]],
  ["that has other labels", webPod(1), webPod(1, { labels: { app: "other" } }), ["other", "web"]],
  ["that has changed altogether", webPod(1), webPod(1, { labels: { app: "other" }, ips: [] }), ["other", "web"]],
])("a pod %s", (_name, before, after, expected) => {
  expect(names(servicesOfChange(before, after, services))).toEqual(expected);
});

test("the stored part of a pod matches the same services", () => {
  const pod = webPod(1, { labels: front, spec: { hostname: "h", subdomain: "web", restartPolicy: "Never" } });
  const large = { ...pod, spec: { ...pod.spec, containers: [...(pod.spec?.containers ?? []), { name: "big" }] } };
  expect(servicesOfChange(large, reachablePod(large), services)).toEqual([]);
  expect(reachablePod(large)).toEqual({
    ...pod,
    spec: { ...pod.spec, containers: [{ ...pod.spec?.containers?.[0], name: "" }] },
  });
});
