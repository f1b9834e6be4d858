// Volume attributes classes are deleted when no claim or volume names them any more, by a separate controller manager
// process.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually, sleep } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const CLASSES = "/apis/storage.k8s.io/v1/volumeattributesclasses";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const FINALIZER = "kubernetes.io/vac-protection";
/** Time for a faulty controller to delete something. */
const HARM_MS = 700;

const workplace = useWorkplace();
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer(workplace, {
    store: { kind: "memory" },
    flags: ["--vocabulary=kubernetes", "--emulated-release=1.36"],
  });
  const manager = new ControllerManagers(workplace, server, "kubernetes").start("manager");
  await eventually("it leads", async () => leads(manager));
}, 60_000);

const json = { "content-type": "application/json" };

async function create(path: string, object: object): Promise<void> {
  const answer = await server.admin.send(path, { method: "POST", headers: json, body: JSON.stringify(object) });
  expect([answer.status, answer.status === 201 ? "" : answer.object()["message"]]).toEqual([201, ""]);
}

const remove = (path: string) => server.admin.send(path, { method: "DELETE" });
const gone = (path: string) => eventually(`${path} is gone`, async () => (await server.admin.get(path)).status === 404);

const attributes = (name: string) => ({ metadata: { name }, driverName: "csi.example.com", parameters: { iops: "1" } });

test("an unused class is deleted at once", async () => {
  await create(CLASSES, attributes("free"));
  expect((await server.admin.get(`${CLASSES}/free`)).object().metadata).toMatchObject({ finalizers: [FINALIZER] });
  await remove(`${CLASSES}/free`);
  await gone(`${CLASSES}/free`);
});

test("a class stays while a claim names it", async () => {
  await create(CLASSES, attributes("used"));
  await create(CLAIMS, {
    metadata: { name: "data" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      volumeAttributesClassName: "used",
    },
  });
  await remove(`${CLASSES}/used`);
  await sleep(HARM_MS);
  expect((await server.admin.get(`${CLASSES}/used`)).object().metadata).toMatchObject({
    deletionTimestamp: expect.any(String),
    finalizers: [FINALIZER],
  });
  await remove(`${CLAIMS}/data`);
  await gone(`${CLASSES}/used`);
});
