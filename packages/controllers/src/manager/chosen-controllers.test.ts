import { expect, test } from "@jest/globals";
import { defineController } from "../framework/controller";
import { chosenControllers, unimplementedControllers } from "./chosen-controllers";

const ALL = [
  "namespace",
  "garbagecollector",
  "resourcequota",
  "clusterrole-aggregation",
  "serviceaccount",
  "root-ca-cert-publisher",
  "apiserver-serving-clustertrustbundle-publisher-controller",
  "serviceaccount-token",
  "pvc-protection",
  "pv-protection",
  "volumeattributesclass-protection",
  "podgroup-protection",
  "csrapproving",
  "csrsigning",
  "csrcleaner",
  "podcertificaterequest-cleaner",
  "disruption",
  "ttl-after-finished",
  "object-expiry",
  "podgc",
  "endpoint",
  "endpointslice",
  "endpointslicemirroring",
  "service-cidr",
  "storage-version-gc",
  "resource-claim-controller",
  "device-taint-eviction-controller",
  "resourcepoolstatusrequest-controller",
];
const without = (...names: readonly string[]) => ALL.filter((name) => !names.includes(name));

test.each<[readonly string[], readonly string[]]>([
  [["*"], ALL],
  [["*", "-namespace", "-clusterrole-aggregation-controller"], without("namespace", "clusterrole-aggregation")],
  [["-garbage-collector-controller", "*"], without("garbagecollector")],
  [["namespace"], ["namespace"]],
  [["root-ca-certificate-publisher-controller"], ["root-ca-cert-publisher"]],
  [["-namespace", "namespace", "*"], ALL],
  [[], []],
])("--controllers=%s", (names, expected) => {
  expect(chosenControllers(names).map(({ name }) => name)).toEqual(expected);
});

test.each<[readonly string[], readonly string[]]>([
  [["*"], ["plain"]],
  [
    ["*", "shy"],
    ["plain", "shy"],
  ],
  [["shy-controller"], ["shy"]],
])("--controllers=%s where one is off by default", (names, expected) => {
  const idle = { does: "nothing", flags: {}, run: async () => {} };
  const controllers = [
    defineController({ name: "plain", alias: "plain-controller", ...idle }),
    defineController({ name: "shy", alias: "shy-controller", offByDefault: true, ...idle }),
  ];
  expect(chosenControllers(names, controllers).map(({ name }) => name)).toEqual(expected);
});

test("controllers that only Kubernetes has are accepted, and reported when they are requested", () => {
  const names = ["*", "-nodelifecycle", "nodeipam", "persistentvolume-binder-controller", "namespace"];
  expect(chosenControllers(names).map(({ name }) => name)).toEqual(ALL);
  expect(unimplementedControllers(names)).toEqual(["nodeipam", "persistentvolume-binder-controller"]);
  expect(chosenControllers(["nodeipam"])).toEqual([]);
});

test("an unknown controller name is rejected", () => {
  expect(() => chosenControllers(["*", "-nonsense", "more"])).toThrow("unknown controllers -nonsense, more");
});
