import { describe, expect, test } from "@jest/globals";
import { builtInResources, virtualResources } from "@orch/apis";
import type { RemoteRegistration } from "@orch/extensions";
import type { ResourceDefinition } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { ResourceRoutes } from "../routes/resource-routes";
import type { ServedResource } from "../routes/served-resource";
import { readRequestInfo } from "./request-info";
import type { RequestInfo } from "./request-kinds";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const options = { release: "1.23", eventLifetimeSeconds: 3600, serviceRanges: [], gates: {}, forbidsPrivileged: false };
const NO_STORAGE = {} as ResourceStorage;
const routes = routesOfBuiltIns();

function routesOfBuiltIns(): ResourceRoutes {
  const made = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  const act = async () => undefined;
  const actions = { "pods/eviction": act, "pods/binding": act };
  const stored = builtInResources(vocabulary, schema, options as never).map((definition) =>
    storedResource(definition, actions),
  );
  const others = virtualResources(vocabulary, schema, { release: "1.23" }).flatMap((definition): ServedResource[] => {
    if (definition.plural.endsWith("reviews")) return [{ kind: "virtual", definition, answer: () => undefined }];
    return definition.plural === "bindings" ? [{ kind: "action", definition, storage: NO_STORAGE, act }] : [];
  });
  made.change({ add: [...stored, ...others] });
  return made;
}

function storedResource(definition: ResourceDefinition, actions = {}): ServedResource {
  return { kind: "stored", definition, storage: { ...NO_STORAGE, definition }, actions };
}

const read = (method: string, url: string): RequestInfo => readRequestInfo(method, url, routes);

/** Kind, verb, group/version/resource[/subresource], namespace, name; and the key of what is served. */
const told = (info: RequestInfo): string => {
  if (info.kind === "several") return info.parts.map((part) => `${part.name}: ${told(part.info)}`).join("; ");
  if (info.kind === "path") return `path ${info.verb} ${info.path}`;
  if (info.kind === "unreadable") return "unreadable";
  const { kind, verb, group, version, resource, subresource, namespace, name } = info;
  const of = [group, version, resource, ...(subresource === "" ? [] : [subresource])].join("/");
  if (info.kind === "remote") return `${kind} ${verb} ${of} in ${namespace} named ${name}: ${info.registration.name}`;
  const where =
    info.kind === "unserved" ? `allowed ${info.allowed ?? "nowhere"}` : `key ${info.key.namespace}/${info.key.name}`;
  return `${kind} ${verb} ${of} in ${namespace} named ${name}: ${where}`;
};

test.each<[string, string, string]>([
  ["GET", "/", "path get /"],
  ["POST", "/healthz", "path post /healthz"],
  ["GET", "/api", "path get /api"],
  ["GET", "/api/v1/", "path get /api/v1/"],
  ["GET", "/apis/apps/v1", "path get /apis/apps/v1"],
  ["OPTIONS", "*", "path options *"],
  ["GET", "/api/v1/pods", "collection list /v1/pods in  named : key /"],
  ["GET", "/api/v1/pods/", "collection list /v1/pods in  named : key /"],
  ["GET", "/api/v1/pods?limit=1", "collection list /v1/pods in  named : key /"],
  ["GET", "/apis/apps/v1/deployments", "collection list apps/v1/deployments in  named : key /"],
  ["GET", "/api/v1/namespaces", "collection list /v1/namespaces in  named : key /"],
  ["GET", "/api/v1/namespaces/a", "item get /v1/namespaces in a named a: key /a"],
  ["PUT", "/api/v1/namespaces/a/status", "item update /v1/namespaces/status in a named a: key /a"],
  ["PUT", "/api/v1/namespaces/a/finalize", "item update /v1/namespaces/finalize in a named a: key /a"],
  ["GET", "/api/v1/namespaces/a/pods", "collection list /v1/pods in a named : key a/"],
  ["GET", "/api/v1/namespaces/a/pods/b", "item get /v1/pods in a named b: key a/b"],
  ["GET", "/api/v1/namespaces/a/pods/b/", "item get /v1/pods in a named b: key a/b"],
  ["PATCH", "/api/v1/namespaces/a/pods/b", "item patch /v1/pods in a named b: key a/b"],
  ["POST", "/api/v1/namespaces/a/pods", "collection create /v1/pods in a named : key a/"],
  ["DELETE", "/api/v1/namespaces/a/pods", "collection deletecollection /v1/pods in a named : key a/"],
  ["DELETE", "/api/v1/namespaces/a/pods/b", "item delete /v1/pods in a named b: key a/b"],
  ["HEAD", "/api/v1/namespaces/a/pods", "collection list /v1/pods in a named : key a/"],
  ["HEAD", "/api/v1/pods?fieldSelector=metadata.name%3Db", "collection list /v1/pods in  named b: key /b"],
  ["HEAD", "/api/v1/namespaces/a/pods/b/status", "item get /v1/pods/status in a named b: key a/b"],
  ["HEAD", "/api/v1/pods?watch=1", "unserved watch /v1/pods in  named : allowed GET"],
  ["HEAD", "/api/v1/namespaces/a/bindings", "unserved list /v1/bindings in a named : allowed POST"],
  ["GET", "/api/v1/nodes/n", "item get /v1/nodes in  named n: key /n"],
  ["POST", "/api/v1/namespaces/a/pods/b/eviction", "action create /v1/pods/eviction in a named b: key a/b"],
  ["POST", "/api/v1/namespaces/a/bindings", "action create /v1/bindings in a named : key a/"],
  [
    "POST",
    "/apis/authorization.orch.io/v1/selfsubjectaccessreviews",
    "question create authorization.orch.io/v1/selfsubjectaccessreviews in  named : key /",
  ],
  ["GET", "/api/v1/namespaces/a/pods/b%20c", "item get /v1/pods in a named b c: key a/b c"],
])("%s %s is %s", (method, url, expected) => expect(told(read(method, url))).toBe(expected));

describe("a watch", () => {
  test.each<[string, string]>([
    ["/api/v1/pods?watch=1", "collection watch /v1/pods in  named : key /"],
    ["/api/v1/pods?watch", "collection watch /v1/pods in  named : key /"],
    ["/api/v1/pods?watch=anything&watch=0", "collection watch /v1/pods in  named : key /"],
    ["/api/v1/pods?watch=0&watch=1", "collection list /v1/pods in  named : key /"],
    ["/api/v1/pods?watch=False", "collection list /v1/pods in  named : key /"],
    ["/api/v1/pods?other=1", "collection list /v1/pods in  named : key /"],
    ["/api/v1/namespaces/a/pods/b?watch=1", "item get /v1/pods in a named b: key a/b"],
    ["/api/v1/watch/pods", "collection watch /v1/pods in  named : key /"],
    ["/api/v1/watch/pods?watch=0", "collection watch /v1/pods in  named : key /"],
    ["/api/v1/watch/namespaces/a/pods/b", "item watch /v1/pods in a named b: key a/b"],
    ["/api/v1/watch/namespaces/a", "item watch /v1/namespaces in a named a: key /a"],
    ["/api/v1/watch/pods/b", "unserved watch /v1/pods in  named b: allowed nowhere"],
    ["/api/v1/watch/namespaces/a/status", "unserved watch /v1/namespaces/status in a named a: allowed nowhere"],
    ["/api/v1/watch/namespaces/a/pods/b/exec", "unserved watch /v1/pods/exec in a named b: allowed nowhere"],
    ["/api/v1/watch/nodes/b/proxy/metrics", "unserved watch /v1/nodes/proxy in  named b: allowed nowhere"],
    ["/api/v1/proxy/nodes/b", "unserved proxy /v1/nodes in  named b: allowed nowhere"],
  ])("GET %s is %s", (url, expected) => {
    expect(told(read("GET", url))).toBe(expected);
    expect(read("GET", url).longRunning).toBe(/^(item|collection) watch/.test(expected));
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "HEAD"])("a watch by its deprecated path rejects %s", (method) => {
    expect(told(read(method, "/api/v1/watch/pods"))).toBe("unserved watch /v1/pods in  named : allowed GET");
    const exec = "/api/v1/watch/namespaces/a/pods/b/exec";
    expect(told(read(method, exec))).toBe("unserved watch /v1/pods/exec in a named b: allowed nowhere");
  });
});

describe("a connection", () => {
  test.each<[string, string, string, string]>([
    ["GET", "/api/v1/namespaces/a/pods/b/log", "/api/v1/namespaces/a/pods/b/log", ""],
    ["POST", "/api/v1/namespaces/a/pods/b/exec?command=ls", "/api/v1/namespaces/a/pods/b/exec", ""],
    ["GET", "/api/v1/namespaces/a/pods/b/exec/", "/api/v1/namespaces/a/pods/b/exec", "/"],
    ["GET", "/api/v1/namespaces/a/pods/b/proxy/x/y", "/api/v1/namespaces/a/pods/b/proxy", "/x/y"],
    ["GET", "/api/v1/namespaces/a/pods/b%3A80/proxy//", "/api/v1/namespaces/a/pods/b%3A80/proxy", "//"],
    ["GET", "/api/v1/nodes/n/proxy//%2e%2E/%ff%2F?a=/b", "/api/v1/nodes/n/proxy", "//%2e%2E/%ff%2F"],
    ["HEAD", "/api/v1/nodes/n/proxy", "/api/v1/nodes/n/proxy", ""],
  ])("%s %s ends at %s, and %s is the target's", (method, url, stem, tail) => {
    expect(read(method, url)).toMatchObject({ kind: "connection", stem, tail, longRunning: true });
  });

  test.each<[string, string]>([
    ["GET", "get"],
    ["HEAD", "get"],
    ["POST", "create"],
    ["PUT", "update"],
    ["PATCH", "patch"],
    ["DELETE", "delete"],
    ["OPTIONS", ""],
  ])("a connection by %s is authorized as %p", (method, verb) =>
    expect(read(method, "/api/v1/nodes/n/proxy/x")).toMatchObject({ kind: "connection", verb, name: "n" }),
  );

  test.each<[string, string, string]>([
    ["TRACE", "/api/v1/nodes/n/proxy/x", "allowed GET,HEAD,POST,PUT,DELETE,PATCH,OPTIONS"],
    ["get", "/api/v1/nodes/n/proxy/x", "allowed GET,HEAD,POST,PUT,DELETE,PATCH,OPTIONS"],
    ["DELETE", "/api/v1/namespaces/a/pods/b/exec", "allowed GET,POST"],
    ["GET", "/api/v1/namespaces/a/pods/b/exec/x", "allowed nowhere"],
    ["GET", "/api/v1/namespaces/a/pods//exec?fieldSelector=metadata.name%3Db", "allowed nowhere"],
    ["GET", "/api/v1/pods/b/exec", "allowed nowhere"],
    ["GET", "/api/v1/namespaces/a/nodes/n/proxy/x", "allowed nowhere"],
    ["GET", "/api/v1/namespaces/a%2Fpods/b/exec", "allowed nowhere"],
  ])("is not what %s %s asks for", (method, url, expected) => {
    const info = read(method, url);
    expect(info.kind).toBe("unserved");
    expect(told(info)).toContain(expected);
  });
});

describe("a selector of one name", () => {
  test.each<[string, string]>([
    ["metadata.name%3Db", "b"],
    ["spec.nodeName%3Dn,metadata.name%3D%3Db", "b"],
    ["metadata.name%3Db&fieldSelector=metadata.name%3Dc", "b"],
    ["metadata.name!%3Db", ""],
    ["metadata.name%3D..", ""],
    ["metadata.name%3Da%2Fb", ""],
    ["spec.nodeName%3Dx%5C,metadata.name%3Db", ""],
    ["metadata.name%3Db,broken", ""],
  ])("%s speaks of %p", (selector, name) => {
    for (const url of [`/api/v1/pods?fieldSelector=${selector}`, `/api/v1/pods?watch=1&fieldSelector=${selector}`]) {
      expect(read("GET", url)).toMatchObject({ kind: "collection", name, key: { name } });
    }
    // Objects are read and deleted by path alone.
    expect(read("DELETE", `/api/v1/namespaces/a/pods?fieldSelector=${selector}`)).toMatchObject({ name: "" });
    expect(read("GET", `/api/v1/namespaces/a/pods/p?fieldSelector=${selector}`)).toMatchObject({ name: "p" });
  });
});

describe("malformed paths are rejected", () => {
  test.each([
    "//api/v1/pods",
    "/api//v1/pods",
    "/api/v1//pods",
    "/api/v1/namespaces//pods",
    "/api/v1/namespaces/a//pods/b",
    "/api/v1/namespaces/a/pods//status",
    "/api/v1/namespaces/a/./pods",
    "/api/v1/namespaces/../pods",
    "/api/v1/namespaces/%2e%2E/pods",
    "/api/v1/namespaces/a/pods/..",
    "/api/v1/namespaces/a/pods/b/../../secrets",
    "/apis/apps%2Fv1/deployments/scale/x",
    "/apis/apps%2fv1/deployments/scale",
    "/api/v1/namespaces/a/pods%2Fexec/b",
    "/api/v1/namespaces/a/pods/b%2Fexec",
    "/api/v1/namespaces/a%2Fb/pods",
    "/api/v1/nodes%2Fn/proxy",
    "/api/v1/pods;x=1",
    "/api/v1/PODS",
    "/api/v1/namespaces/a/namespaces/b",
    "/api/v1/namespaces/a/nodes",
    "/api/v1/namespaces/a/nodes/n",
    "/api/v1/pods/b",
    "/api/v1/pods/b/status",
    "/api/v1/namespaces/a/pods/b/status/x",
    "/api/v1/namespaces/a/pods/b/log/x",
    "/api/v1/namespaces/a/finalize/x",
    "/apis/nothing.example/v1/things",
  ])("GET %s", (url) =>
    expect(read("GET", url)).toMatchObject({ kind: "unserved", allowed: undefined, route: undefined }),
  );

  test.each(["/API/v1/pods", "/healthz/", "/%61pi%2Fv1/pods", "/api%2Fv1%2Fpods", "/./api/v1"])(
    "GET %s, beside the resources by the letter",
    (url) => expect(read("GET", url)).toMatchObject({ kind: "path", path: url, verb: "get" }),
  );
});

describe("a namespaced resource that is called namespaces", () => {
  const definition = namespacesOf("example.com");
  const own = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  own.change({ add: [storedResource(definition)] });

  test.each<[string, string]>([
    ["/apis/example.com/v1/namespaces/a/namespaces/b", "item get example.com/v1/namespaces in a named b: key a/b"],
    ["/apis/example.com/v1/namespaces", "collection list example.com/v1/namespaces in  named : key /"],
    ["/apis/example.com/v1/namespaces/a", "unserved get example.com/v1/namespaces in a named a: allowed nowhere"],
  ])("%s is %s", (url, expected) => expect(told(readRequestInfo("GET", url, own))).toBe(expected));
});

function namespacesOf(group: string): ResourceDefinition {
  const version = { group, version: "v1", kind: "Namespace", apiVersion: `${group}/v1` };
  return {
    ...{ group, plural: "namespaces", scope: "Namespaced", verbs: ["get", "list"], subresources: {} },
    versions: [version],
    storage: version,
  } as unknown as ResourceDefinition;
}

describe("requests for an aggregated API server", () => {
  const elsewhere = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  elsewhere.elsewhere = (group, version) =>
    group === "a.b" && version === "v1" ? ({ name: "v1.a.b" } as RemoteRegistration) : undefined;
  const AT = "/apis/a.b/v1/namespaces/n";

  test.each<[string, string, string, boolean]>([
    ["GET", `${AT}/pods`, "list a.b/v1/pods in n named ", false],
    ["HEAD", `${AT}/pods/p`, "get a.b/v1/pods in n named p", false],
    ["GET", `${AT}/pods?watch=1&fieldSelector=metadata.name%3Dx`, "watch a.b/v1/pods in n named x", true],
    ["DELETE", `${AT}/pods`, "deletecollection a.b/v1/pods in n named ", false],
    ["POST", `${AT}/pods/p/exec`, "create a.b/v1/pods/exec in n named p", true],
    ["GET", `${AT}/pods/p/log/deeper`, "get a.b/v1/pods/log in n named p", true],
    ["PATCH", "/apis/a.b/v1/things/t/status", "patch a.b/v1/things/status in  named t", false],
    ["GET", "/apis/a.b/v1/watch/things", "watch a.b/v1/things in  named ", true],
    ["GET", `${AT}/pods/p/proxy/a.b/..c/%2Fd.`, "get a.b/v1/pods/proxy in n named p", true],
    ["OPTIONS", `${AT}/pods`, " a.b/v1/pods in n named ", false],
  ])("%s %s is for %s", (method, url, expected, longRunning) => {
    const info = readRequestInfo(method, url, elsewhere);
    expect([told(info), info.longRunning]).toEqual([`remote ${expected}: v1.a.b`, longRunning]);
  });

  test.each([
    `${AT}/pods/p/proxy/../../../../../../v1/secrets`,
    `${AT}/pods/p/proxy/%2e%2e/x`,
    `${AT}/pods/p/proxy/a%2F..%2Fx`,
    `${AT}/pods/p/proxy/..%5C..%5Cx`,
    `${AT}/pods/p/proxy/./x`,
    "/apis/a.b/v1/namespaces/%2e%2e/pods",
    "/apis/a.b/v1/namespaces/n%2fpods/p",
    "/apis/a.b/v1//pods",
    "//apis/a.b/v1/pods",
  ])("%s leads nowhere", (url) => {
    expect(readRequestInfo("GET", url, elsewhere)).toMatchObject({ kind: "unserved", allowed: undefined });
  });
});

test.each([
  ["GET", "/api/v1/watch"],
  ["GET", "/apis/apps/v1/proxy/"],
  ["GET", "/api/v1/pods/%ff"],
  ["GET", "/api/v1/pods/%2"],
  ["GET", "/api/v1/nodes/n/proxy/%zz"],
  ["GET", "/version%"],
  ["GET", "*"],
  ["GET", "version"],
  ["GET", "ftp://host/api"],
  ["GET", "http://"],
  ["GET", "http://?"],
  ["GET", "http://user@host/"],
  ["GET", "/api/v1/pods#a"],
  ["GET", "/api/v1/pods a"],
  ["GET", "/api/v1/pods\u0000"],
  ["GET", "/api/v1/pods\u0100"],
])("%s %p cannot be read", (method, url) =>
  expect(read(method, url)).toMatchObject({ kind: "unreadable", verb: "get" }),
);

test.each<[string, string | undefined, string, string]>([
  ["/version?a=1?b", undefined, "/version", "?a=1?b"],
  ["https://host:6443/version?a", "host:6443", "/version", "?a"],
  ["HTTP://host", "host", "/", ""],
  ["http://host?a", "host", "/", "?a"],
  ["http://[::1]:80/", "[::1]:80", "/", ""],
])("the target %s is for %s, at %s with %p", (url, authority, path, search) =>
  expect(read("GET", url)).toMatchObject({ kind: "path", authority, path, search }),
);

describe("a watch of several resources", () => {
  const why = (url: string): string => {
    const info = read("GET", url);
    return info.kind === "unreadable" ? info.why : told(info);
  };

  test.each([
    ["/watch?resource=pods", "v1/pods: collection watch /v1/pods in  named : key /"],
    ["/watch?resource=v1/pods;namespace=ns", "v1/pods: collection watch /v1/pods in ns named : key ns/"],
    [
      "/watch?resource=apps/v1/deployments",
      "apps/v1/deployments: collection watch apps/v1/deployments in  named : key /",
    ],
  ])("%s is read as a watch of each", (url, expected) => expect(told(read("GET", url))).toBe(expected));

  test("each resource has the attributes of a watch of it alone", () => {
    const single = read(
      "GET",
      "/api/v1/namespaces/ns/pods?watch=true&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx",
    );
    const info = read(
      "GET",
      "/watch?resource=pods%3Bnamespace%3Dns%3BlabelSelector%3Da%3Db%3BfieldSelector%3Dmetadata.name%3Dx",
    );
    if (info.kind !== "several" || single.kind !== "collection") throw new Error("not read");
    const { query: _, search: __, ...alone } = single;
    expect(info.parts[0]?.info).toMatchObject(alone);
    expect(info).toMatchObject({ verb: "watch", longRunning: true, isPartial: false, refused: [] });
  });

  test("the preferred version is that of discovery", () => {
    const info = read("GET", "/watch?resource=horizontalpodautoscalers.autoscaling");
    if (info.kind !== "several") throw new Error("not read");
    const group = [...(routes.groups().get("autoscaling")?.keys() ?? [])];
    expect(group.length).toBeGreaterThan(1);
    expect(info.parts[0]?.name).toMatch(/^autoscaling\/v[12]\/horizontalpodautoscalers$/);
  });

  test("a resource that is not served is authorized all the same", () => {
    const info = read("GET", "/watch?resource=deployments&resource=things.example.com&resource=a.b/v1/things");
    if (info.kind !== "several") throw new Error("not read");
    expect(info.parts.map(({ name, info: { kind } }) => [name, kind])).toEqual([
      ["v1/deployments", "unserved"],
      ["example.com/*/things", "unserved"],
      ["a.b/v1/things", "unserved"],
    ]);
  });

  test.each([
    ["/watch", /^resource: is required/],
    ["/watch?resource=", /resource: "": must be RESOURCE/],
    ["/watch?resource=Pods", /resource: "Pods": must be RESOURCE/],
    ["/watch?resource=a/b/c/d", /must be RESOURCE/],
    ["/watch?resource=v1/../pods", /must be RESOURCE/],
    ["/watch?resource=pods/log", /is not a resource that can be watched|unserved/],
    ["/watch?resource=pods&resource=pods", /resource: "pods": is given twice/],
    ["/watch?resource=pods&resource=v1/pods", /is given twice/],
    ["/watch?resource=pods;namespace=a;namespace=b", /namespace is given twice/],
    ["/watch?resource=pods;namespaces=a", /"namespaces" is not an option of a resource/],
    ["/watch?resource=pods&namespace=a", /^namespace: belongs to one resource/],
    ["/watch?resource=pods&labelSelector=a", /^labelSelector: belongs to one resource/],
    ["/watch?resources=pods", /"resources" is not a parameter/],
    ["/watch?resource=pods&fields=.metadata.name", /"fields" is not a parameter/],
    ["/watch?resource=pods&resourceVersion=1&resourceVersion=2", /resourceVersion: is given twice/],
    ["/watch?resource=status;namespace=ns", /is not a resource that can be watched/],
    ["/watch?resource=finalize;namespace=ns", /is not a resource that can be watched/],
    ["/watch?resource=history;namespace=ns", /is not a resource that can be watched|unserved/],
    [
      `/watch?${Array.from({ length: 129 }, (_, at) => `resource=r${at}`).join("&")}`,
      /at most 128 times, not 129 times/,
    ],
  ])("%s is refused", (url, expected) => expect(why(url)).toMatch(expected));

  test("other methods and longer paths are other requests", () => {
    expect(told(read("POST", "/watch?resource=pods"))).toBe("path post /watch");
    expect(told(read("GET", "/watch/pods?resource=pods"))).toBe("path get /watch/pods");
    expect(read("GET", "/api/v1/watch/pods")).toMatchObject({ kind: "collection", verb: "watch" });
  });
});

describe("everything in a namespace", () => {
  const parts = (url: string) => {
    const info = read("GET", url);
    if (info.kind !== "several") throw new Error(told(info));
    expect(info).toMatchObject({ verb: "list", longRunning: false, isPartial: true });
    return info.parts;
  };

  test("is each kind of a namespace once, with the attributes of a list of it", () => {
    const all = parts("/api/v1/namespaces/ns/everything");
    const names = all.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["v1/pods", "v1/secrets", "apps/v1/deployments"]));
    expect(names.filter((name) => name.endsWith("/events"))).toHaveLength(1);
    expect(
      names.filter(
        (name) => /nodes|namespaces|reviews|bindings$|componentstatuses/.test(name) && !/rolebindings$/.test(name),
      ),
    ).toEqual([]);
    const pods = all.find(({ name }) => name === "v1/pods");
    const single = read("GET", "/api/v1/namespaces/ns/pods");
    const { path: _, ...alone } = single as { path: string };
    expect(pods?.info).toMatchObject({ ...alone, stem: expect.anything() });
  });

  test("kinds limits it", () => {
    expect(
      parts("/api/v1/namespaces/ns/everything?kinds=pods,apps/v1/deployments,nodes,pods").map(({ name, info }) => [
        name,
        info.kind,
      ]),
    ).toEqual([
      ["v1/pods", "collection"],
      ["apps/v1/deployments", "collection"],
      ["v1/nodes", "unserved"],
    ]);
  });

  test.each([
    ["GET", "/api/v1/namespaces/ns/everything?kinds=", /^unreadable$/],
    ["GET", "/api/v1/namespaces/ns/everything?kind=pods", /^unreadable$/],
    ["GET", "/api/v1/namespaces/ns/everything?limit=1", /^unreadable$/],
    ["POST", "/api/v1/namespaces/ns/everything", /^unserved create .*: allowed GET$/],
    ["DELETE", "/api/v1/namespaces/ns/everything", /: allowed GET$/],
    ["GET", "/api/v1/namespaces/ns/everything/a", /^unserved get/],
    ["GET", "/api/v1/everything", /^unserved list/],
    ["GET", "/apis/apps/v1/namespaces/ns/everything", /^unserved list/],
    ["GET", "/api/v1/watch/namespaces/ns/everything", /^unserved watch/],
  ])("%s %s is another request", (method, url, expected) => expect(told(read(method, url))).toMatch(expected));
});
