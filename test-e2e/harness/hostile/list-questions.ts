// Lists and objects of which the client asks for a part, for an order or for a count.
import { anew, type HostileInput, keyed, MEBIBYTE, read, times } from "./requests";

const CORE = "/api/v1/namespaces/default";
const ACCOUNTS = `${CORE}/serviceaccounts`;
const MAPS = `${CORE}/configmaps`;
const PATHS_MAX = 64;

const paths = (count: number, path: (at: number) => string) => times(count, path).join();

export const HOSTILE_QUESTIONS: readonly HostileInput[] = [
  {
    what: "fields of 5,000 objects",
    size: PATHS_MAX,
    request: (size) => read(`${ACCOUNTS}?fields=${paths(size, (at) => `.metadata.managedFields[*].k${at}`)}`),
    expects: 200,
  },
  {
    what: "fields without an end",
    size: 60_000,
    request: (size) => read(`${ACCOUNTS}?fields=${".a".repeat(size / 2)}`),
    expects: 400,
  },
  {
    what: "fields of an object with many members",
    size: 100_000,
    before: (size) =>
      anew(MAPS, "members", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "members" },
        data: keyed(size, () => ""),
      }),
    request: (size) => read(`${MAPS}/members?fields=${paths(PATHS_MAX, (at) => `.data.k${size - at}`)}`),
    expects: 200,
  },
  {
    what: "an order of 5,000 objects",
    size: 5000,
    request: (size) => read(`${ACCOUNTS}?sortBy=-.metadata.uid&limit=${size}`),
    expects: 200,
  },
  {
    what: "a count over 5,000 objects",
    size: 60_000,
    request: (size) => {
      const terms = times(Math.floor(size / 7), (at) => `!k${at}`);
      return read(`${ACCOUNTS}?limit=1&count=true&labelSelector=${terms.join(",")}`);
    },
    expects: 200,
  },
  {
    what: "a watch of thousands of resources",
    size: 60_000,
    request: (size) => read(`/watch?${times(Math.floor(size / 14), (at) => `resource=r${at}`).join("&")}`),
    expects: 400,
  },
  {
    what: "a watch of as many resources as possible, with selectors",
    size: 128,
    request: (size) => {
      const terms = times(50, (at) => `!k${at}`).join();
      const resources = times(size, (at) => `resource=serviceaccounts;labelSelector=c%3Dx${at},${terms}`);
      return read(`/watch?timeoutSeconds=2&${resources.join("&")}`);
    },
    expects: 200,
  },
  {
    what: "a watch with options without an end",
    size: 60_000,
    request: (size) => read(`/watch?resource=pods${";labelSelector=a".repeat(size / 16)}`),
    expects: 400,
  },
  {
    what: "a watch with a query of 3 MiB",
    size: 3 * MEBIBYTE,
    request: (size) => read(`/watch?resource=pods&resource=${"a".repeat(size)}`),
    expects: 431,
  },
  {
    what: "everything in a namespace of 5,000 objects",
    size: 1,
    request: () => read(`${CORE}/everything`),
    expects: 200,
  },
  {
    what: "everything of thousands of kinds",
    size: 60_000,
    request: (size) => read(`${CORE}/everything?kinds=${"a,".repeat(size / 2)}a`),
    expects: 400,
  },
];
