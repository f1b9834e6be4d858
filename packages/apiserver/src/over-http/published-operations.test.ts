// The published schema, discovery and the server's behaviour agree on the supported operations.
import { expect, test } from "@jest/globals";
import type { ApiClient, Loose } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running), {
  flags: { "runtime-config": { "api/all": "true" }, "emulated-release": "1.22", history: ["configmaps,*.apps=3"] },
});

interface Published {
  readonly method: string;
  readonly path: string;
  readonly action: string;
}

/** Published operations on objects, which discovery lists too. */
async function published(): Promise<readonly Published[]> {
  const { paths } = JSON.parse((await admin.get("/openapi/v2")).text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const action = operation["x-orch-action"];
      return action === undefined ? [] : [{ method: method.toUpperCase(), path, action }];
    }),
  );
}

/** `<root> <resource> <verb>` with the verbs of discovery. */
function verbOf({ method, path, action }: Published): readonly string[] {
  const parts =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/(watch\/)?(?:namespaces\/{namespace}\/)?(\w+)(?:\/{name}(?:\/(\w+))?)?/;
  const [, root = "", , resource = "", part] = parts.exec(path) ?? [];
  const verb = VERBS[action] ?? CONNECT_VERBS[method];
  return verb === undefined ? [] : [`${root} ${part === undefined ? resource : `${resource}/${part}`} ${verb}`];
}

const VERBS: Readonly<Record<string, string>> = {
  list: "list",
  get: "get",
  post: "create",
  put: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "deletecollection",
  watch: "watch",
  watchlist: "watch",
};
const CONNECT_VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

async function discovered(): Promise<readonly string[]> {
  const groups = (await admin.get("/apis")).json.groups.flatMap(({ versions }) => versions);
  const roots = ["/api/v1", ...groups.map(({ groupVersion }) => `/apis/${groupVersion}`)];
  const lists = await Promise.all(roots.map(async (root) => [root, (await admin.get(root)).json.resources] as const));
  return lists.flatMap(([root, resources]) =>
    resources.flatMap(({ name, verbs }: Loose) => verbs.map((verb) => `${root} ${name} ${verb}`)),
  );
}

test("every verb of discovery has its operation, and every operation its verb", async () => {
  const operations = new Set((await published()).flatMap(verbOf));
  expect([...operations].sort()).toEqual([...new Set(await discovered())].sort());
});

test("every operation is carried out, and what is not published is refused", async () => {
  const operations = await published();
  const known = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  const wrong: string[] = [];
  for (const path of new Set(operations.map((operation) => operation.path))) {
    for (const method of ["GET", "PUT", "POST", "DELETE", "PATCH"]) {
      const name = `${method} ${path}`;
      const { code, text } = await ask(method, path);
      const isServed = code !== 405 && !(code === 404 && text.includes("could not find the requested resource"));
      if (isServed !== known.has(name)) wrong.push(`${name}: ${code}`);
    }
  }
  expect(wrong).toEqual([]);
}, 60_000);

/**
 * Sends a request without effect: no object has the name, and other requests are rejected for their body, version or
 * options.
 */
function ask(method: string, path: string) {
  const filled = path.replace("{namespace}", "nowhere").replace("{name}", "nobody").replace("{path}", "some/where");
  const query = method === "GET" && !path.endsWith("}") ? "?resourceVersion=no-version" : "?dryRun=no-such-stage";
  return admin.ask(method, filled + (path.includes("/watch/") ? "?resourceVersion=no-version" : query), {
    body: method === "GET" ? "" : "no object",
  });
}
