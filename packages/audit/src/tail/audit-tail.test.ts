import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/platform";
import { readTail, type Tail, type TailPosition } from "./audit-tail";
import { eventFilter } from "./event-filter";

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-audit-tail-"));
  log = join(folder, "audit.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DECISION = "authorization.k8s.io/decision";
const means = () => ({ loop: new EventLoopYielder({ sliceMs: 0 }), isGone: () => false });

const tail = (
  query = "",
  { limit = 100, position }: { limit?: number; position?: TailPosition | undefined } = {},
): Promise<Tail> =>
  readTail(log, { filter: eventFilter(new URLSearchParams(query), DECISION), limit, position }, means());

const ids = ({ events }: Tail): string[] => events.map((text) => JSON.parse(text).auditID);
const event = (auditID: string, more: object = {}): string =>
  `${JSON.stringify({ kind: "Event", auditID, ...more })}\n`;

describe("the tail of an audit log", () => {
  test("has the newest events first, and goes on with older ones", async () => {
    writeFileSync(log, Array.from({ length: 25 }, (_, at) => event(`e${at}`)).join(""));
    const seen: string[] = [];
    let position: TailPosition | undefined;
    for (const count of [10, 10, 5]) {
      const part = await tail("", { limit: 10, position });
      expect(part.events.length).toBe(count);
      seen.push(...ids(part));
      position = part.next;
    }
    expect(position).toBeUndefined();
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => `e${24 - at}`));
  });

  test("leaves the bodies out, of lines of any size", async () => {
    const body = { data: { text: `,"requestObject":{"a":"}]\\"` }, list: ["x".repeat(1000)] };
    writeFileSync(log, event("small", { user: { extra: { requestObject: ["kept"] } }, requestObject: body, code: 1 }));
    appendFileSync(
      log,
      event("large", { requestObject: { text: "y".repeat(3_000_000) }, responseObject: [], code: 2 }),
    );
    appendFileSync(log, event("last"));
    const { events, unreadable } = await tail();
    expect(events.map((text) => JSON.parse(text))).toEqual([
      { kind: "Event", auditID: "last" },
      { kind: "Event", auditID: "large", code: 2 },
      { kind: "Event", auditID: "small", user: { extra: { requestObject: ["kept"] } }, code: 1 },
    ]);
    expect(unreadable).toBe(0);
  });

  test("leaves out a line that is half written", async () => {
    writeFileSync(log, `${event("whole")}{"auditID":"half`);
    expect(ids(await tail())).toEqual(["whole"]);
    appendFileSync(log, `"}\n`);
    expect(ids(await tail())).toEqual(["half", "whole"]);
  });

  test("counts lines that are no events", async () => {
    writeFileSync(log, `${event("one")}nonsense\n[1]\n{"auditID":\n"text"\n\n}}}{{{\n{"a":1}{"b":2}\n${event("two")}`);
    expect(await tail()).toMatchObject({ unreadable: 6, next: undefined });
    expect(ids(await tail())).toEqual(["two", "one"]);
  });

  test("counts an event that is too large without its bodies", async () => {
    writeFileSync(log, event("one") + event("large", { requestURI: "u".repeat(300_000) }) + event("two"));
    expect(await tail()).toMatchObject({ unreadable: 1 });
    expect(ids(await tail())).toEqual(["two", "one"]);
  });

  test("reads a bounded part of a file without lines, and goes on from there", async () => {
    writeFileSync(log, event("first"));
    truncateSync(log, 1024 ** 3); // sparse: zeros
    const part = await tail();
    expect(part).toMatchObject({ events: [], unreadable: 1 });
    expect(part.readBytes).toBeLessThanOrEqual(17 * 1024 * 1024);
    expect(part.next?.offset).toBe(1024 ** 3 - part.readBytes);
    appendFileSync(log, `\n${event("after")}`);
    expect(ids(await tail())).toEqual(["after"]);
  });

  test("is bounded in lines and in bytes", async () => {
    writeFileSync(log, "{}\n".repeat(60_000));
    expect((await tail("verb=get")).next?.offset).toBe(3 * 10_000 - 1);
    writeFileSync(
      log,
      Array.from({ length: 30 }, (_, at) => event(`e${at}`, { requestURI: "u".repeat(200_000) })).join(""),
    );
    const part = await tail();
    expect(part.events.length).toBe(11);
    expect(ids(await tail("", { position: part.next }))[0]).toBe("e18");
  });

  test("is read from the file that was opened, also when it is replaced or becomes shorter", async () => {
    writeFileSync(log, event("old").repeat(50_000));
    const reading = tail("verb=none");
    renameSync(log, `${log}.1`);
    writeFileSync(log, event("new"));
    await reading;
    expect(ids(await tail())).toEqual(["new"]);
    writeFileSync(log, event("old").repeat(50_000));
    const shortened = tail("verb=none");
    truncateSync(log, 10);
    await shortened;
    expect(await tail()).toMatchObject({ events: [] });
  });

  test("refuses a position in a file that was rotated, and one behind the end", async () => {
    writeFileSync(log, event("a") + event("b"));
    const { next } = await tail("", { limit: 1 });
    expect(ids(await tail("", { position: next }))).toEqual(["a"]);
    renameSync(log, `${log}.1`);
    await expect(tail("", { position: next })).rejects.toMatchObject({ code: 410 });
    writeFileSync(log, event("c"));
    await expect(tail("", { position: next })).rejects.toMatchObject({ code: 410 });
  });

  test("has no events without a file, and is refused for a device", async () => {
    expect(await tail()).toEqual({ events: [], unreadable: 0, readBytes: 0, next: undefined });
    log = "/dev/null";
    await expect(tail()).rejects.toThrow("not a regular file");
  });
});

describe("a filter of events", () => {
  beforeEach(() => {
    writeFileSync(
      log,
      [
        event("list", {
          verb: "list",
          stage: "ResponseComplete",
          user: { username: "ann" },
          objectRef: { resource: "deployments", apiGroup: "apps", namespace: "shop" },
          responseStatus: { code: 200 },
          annotations: { [DECISION]: "allow" },
        }),
        event("log", {
          verb: "get",
          stage: "ResponseStarted",
          user: { username: "root" },
          impersonatedUser: { username: "ann" },
          objectRef: { resource: "pods", subresource: "log", namespace: "shop" },
          responseStatus: { code: 403 },
          annotations: { [DECISION]: "forbid" },
        }),
        event("odd", { verb: 7, user: "ann", objectRef: [], responseStatus: null, annotations: "x" }),
      ].join(""),
    );
  });

  test.each([
    ["user=ann", ["log", "list"]],
    ["user=root", ["log"]],
    ["verb=list", ["list"]],
    ["resource=deployments", ["list"]],
    ["resource=deployments.apps", ["list"]],
    ["resource=deployments.other", []],
    ["resource=pods", ["log"]],
    ["resource=pods/log", ["log"]],
    ["resource=pods/status", []],
    ["namespace=shop", ["log", "list"]],
    ["code=403", ["log"]],
    ["code=2xx", ["list"]],
    ["decision=forbid", ["log"]],
    ["stage=ResponseStarted", ["log"]],
    ["user=ann&verb=get", ["log"]],
    ["user=&verb=", ["odd", "log", "list"]],
  ])("%s", async (query, expected) => expect(ids(await tail(query))).toEqual(expected));

  test.each(["code=9xx", "code=4x", "decision=maybe", "stage=Late"])("%s is refused", (query) => {
    expect(() => eventFilter(new URLSearchParams(query), DECISION)).toThrow(query.split("=")[0] as string);
  });
});
