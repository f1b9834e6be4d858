// Objects whose former states are kept: the most expensive states to compare, to show and to bring back.
import { anew, type HostileInput, type HostileRequest, keyed, MEBIBYTE, read, sent, times } from "./requests";

const NAMESPACE = "kept";
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const MAPS = `${CORE}/configmaps`;
const GADGETS = `/apis/custom.hostile.example/v1/namespaces/${NAMESPACE}/gadgets`;
const MERGE = "application/merge-patch+json";
const KIBIBYTE = 1024;
/** Values of a state that is still compared. */
const COMPARED_VALUES = 1200;
/** Changed values that a patch still names one by one. */
const NAMED_VALUES = 900;

const map = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const gadget = (name: string, free: object) => ({
  apiVersion: "custom.hostile.example/v1",
  kind: "Gadget",
  metadata: { name },
  spec: { free },
});

const namespace = sent("POST", "/api/v1/namespaces", {
  metadata: { name: NAMESPACE, annotations: { "kubernetes.io/history": "20" } },
});

/** Makes an object and replaces its state by others. */
const states =
  (path: string, name: string, made: object, changes: readonly object[]): (() => readonly HostileRequest[]) =>
  () => [
    namespace,
    ...anew(path, name, made),
    ...changes.map((change) => sent("PATCH", `${path}/${name}`, change, MERGE)),
  ];

const numbers = (from: number) => times(NAMED_VALUES, (at) => from + at);
const nested = (depth: number, inner: unknown): object =>
  times(depth, (at) => at).reduce<unknown>((value) => ({ a: value }), inner) as object;

export const HOSTILE_STATES: readonly HostileInput[] = [
  {
    what: "history: many changes below a long name",
    size: 120 * KIBIBYTE,
    before: (size) => {
      const below = (from: number) => ({ ["k".repeat(size)]: numbers(from) });
      return states(GADGETS, "named", gadget("named", below(0)), [{ spec: { free: below(1) } }])();
    },
    request: () => read(`${GADGETS}/named/history`),
    expects: 200,
  },
  {
    what: "history: changes below a name of characters that a patch escapes",
    size: 60 * KIBIBYTE,
    before: (size) => {
      const below = (from: number) => ({ ["~/".repeat(size / 2)]: numbers(from) });
      return states(GADGETS, "escaped", gadget("escaped", below(0)), [{ spec: { free: below(1) } }])();
    },
    request: () => read(`${GADGETS}/escaped/history`),
    expects: 200,
  },
  {
    what: "history: as many states as are kept, each as large as one that is compared",
    size: 240 * KIBIBYTE,
    before: (size) => {
      const state = (round: number) => keyed(COMPARED_VALUES, (at) => `${round}${"x".repeat(size / 1300)}${at}`);
      const changes = times(20, (round) => ({ data: state(round + 1) }));
      return states(MAPS, "compared", map("compared", state(0)), changes)();
    },
    request: () => read(`${MAPS}/compared/history?limit=500`),
    expects: 200,
  },
  {
    what: "history: a change under many levels",
    // An object has at most 1,000 levels.
    size: 990,
    before: (size) => states(GADGETS, "deep", gadget("deep", nested(size, 1)), [{ spec: { free: nested(size, 2) } }])(),
    request: () => read(`${GADGETS}/deep/history`),
    expects: 200,
  },
  {
    what: "history: two states of 3 MiB",
    size: 3 * MEBIBYTE - 500,
    before: (size) => {
      const long = (text: string) => ({ a: text.repeat(size) });
      return states(GADGETS, "long", gadget("long", long("x")), [{ spec: { free: long("y") } }])();
    },
    request: () => read(`${GADGETS}/long/history`),
    expects: 200,
  },
  {
    what: "history: a deleted object of many values",
    size: 100_000,
    before: (size) => [
      ...states(GADGETS, "many", gadget("many", { a: times(size, (at) => at) }), [])(),
      { method: "DELETE", path: `${GADGETS}/many` },
    ],
    request: () => sent("POST", `${GADGETS}/many/restore?dryRun=All`, ""),
    expects: 201,
  },
  {
    what: "history: a parameter without an end",
    size: 60_000,
    request: (size) => read(`${MAPS}/none/history?revision=${"1".repeat(size)}`),
    expects: 400,
  },
];
