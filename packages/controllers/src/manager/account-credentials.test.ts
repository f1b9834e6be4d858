// Tokens of one account from a server whose responses the test defines.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Client } from "@orch/client";
import { ManualClock } from "@orch/testing";
import { AccountCredentials, AccountTokenError } from "./account-credentials";

const ACCOUNTS = "/api/v1/namespaces/orch-system/serviceaccounts";
const TOKEN = `POST ${ACCOUNTS}/robot/token`;
const FIND = `GET ${ACCOUNTS}/robot`;
const MAKE = `POST ${ACCOUNTS}`;

type Answer = readonly [code: number, body: object];
let answers: Record<string, Answer | (() => Answer)>;
let asked: string[];
let server: Server;
let client: Client;
let clock: ManualClock;

beforeEach(async () => {
  [answers, asked] = [{}, []];
  server = createServer((request, response) => {
    const what = `${request.method} ${request.url?.split("?")[0]}`;
    asked.push(what);
    const known = answers[what] ?? [500, { kind: "Status", code: 500, message: `not expected: ${what}` }];
    const [code, body] = typeof known === "function" ? known() : known;
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connection = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tls: {},
    credentials: {},
    namespace: "default",
  };
  const rateLimit = { perSecond: 0, burst: 0 };
  client = new Client({ connection, program: "test", rateLimit, environment: {} });
  clock = new ManualClock();
});
afterEach(() => {
  client.close();
  server.close();
  server.closeAllConnections();
});

const credentials = () => new AccountCredentials({ manager: client, account: "robot", clock });
const status = (code: number, reason: string): Answer => [code, { kind: "Status", code, reason, message: reason }];
const NOT_FOUND = status(404, "NotFound");
const FORBIDDEN = status(403, "Forbidden");

/** Returns a new token for each request. */
function issuing(expirationSeconds = 3600): () => Answer {
  let count = 0;
  return () => {
    count += 1;
    return [201, { spec: { expirationSeconds }, status: { token: `t${count}` } }];
  };
}

test("a token is asked for once, and again before it ends", async () => {
  answers[TOKEN] = issuing();
  const subject = credentials();
  expect(await Promise.all([subject.token(), subject.token()])).toEqual(["t1", "t1"]);
  clock.advance(2_879_000);
  expect(await subject.token()).toBe("t1");
  clock.advance(1_000);
  expect(await subject.token()).toBe("t2");
  expect(asked).toEqual([TOKEN, TOKEN]);
});

test("a token with a shortened lifetime is renewed sooner", async () => {
  answers[TOKEN] = issuing(600);
  const subject = credentials();
  await subject.token();
  clock.advance(480_000);
  expect(await subject.token()).toBe("t2");
});

test("a refused token is replaced, and an older one that is refused late is not", async () => {
  answers[TOKEN] = issuing();
  const subject = credentials();
  subject.rejected(await subject.token());
  expect(await subject.token()).toBe("t2");
  subject.rejected("t1");
  expect(await subject.token()).toBe("t2");
});

test("a token that cannot be renewed is shown until its end", async () => {
  answers[TOKEN] = issuing();
  const subject = credentials();
  await subject.token();
  answers[TOKEN] = FORBIDDEN;
  clock.advance(3_000_000);
  expect([await subject.token(), await subject.token()]).toEqual(["t1", "t1"]);
  expect(asked).toHaveLength(2);
  clock.advance(599_000);
  expect(await subject.token()).toBe("t1");
  clock.advance(1_000);
  await expect(subject.token()).rejects.toThrow(AccountTokenError);
});

test.each<[string, Answer]>([
  ["made", [201, {}]],
  ["left to whoever has made it meanwhile", status(409, "AlreadyExists")],
])("an account that is missing is %s", async (_how, made) => {
  let isThere = false;
  const issue = issuing();
  answers[TOKEN] = () => (isThere ? issue() : NOT_FOUND);
  answers[MAKE] = () => {
    isThere = true;
    return made;
  };
  expect(await credentials().token()).toBe("t1");
  expect(asked).toEqual([TOKEN, MAKE, TOKEN]);
});

test.each<[string, Answer]>([
  ["has no such sub-resource", NOT_FOUND],
  ["does not issue any", status(405, "MethodNotAllowed")],
])("where a server %s, a token that a secret keeps will do", async (_how, refusal) => {
  const annotations = { "orch.io/service-account.name": "robot", "orch.io/service-account.uid": "7" };
  const secret = (text: string, uid = "7") => ({
    metadata: { name: "s", annotations: { ...annotations, "orch.io/service-account.uid": uid } },
    type: "orch.io/service-account-token",
    data: text === "" ? {} : { token: Buffer.from(text).toString("base64") },
  });
  answers[TOKEN] = refusal;
  answers[MAKE] = status(409, "AlreadyExists");
  answers[FIND] = [200, { metadata: { name: "robot", uid: "7" } }];
  const secrets = "GET /api/v1/namespaces/orch-system/secrets";
  answers[secrets] = [200, { items: [secret("another's", "6"), secret("")] }];
  const subject = credentials();
  await expect(subject.token()).rejects.toThrow(
    "cannot get a token of the service account robot: the server does not issue tokens, and no Secret contains one yet",
  );
  answers[secrets] = [200, { items: [secret("another's", "6"), secret("kept")] }];
  expect(await subject.token()).toBe("kept");
});

test("a rejected token request fails the request that needs the token", async () => {
  answers[TOKEN] = FORBIDDEN;
  const error = await credentials()
    .token()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AccountTokenError);
  expect(error).not.toHaveProperty("code");
});
