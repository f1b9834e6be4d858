import { expect, test } from "@jest/globals";
import type { Connection } from "@orch/http-server";
import { type ApiResponse, RequestContext } from "@orch/request";
import { UnreadAnswers } from "./unread-answers";

class FakeConnection {
  closedFor: string | undefined;

  close(why: string): void {
    this.closedFor = why;
  }
}

const connection = () => new FakeConnection() as unknown as Connection & FakeConnection;

/** An answer with a number of unsent bytes. */
class FakeAnswer {
  destroyed = false;
  readonly req: { readonly context: RequestContext; readonly readableLength: number };

  constructor(
    of: Connection,
    readonly writableLength: number,
    readonly headersSent = true,
  ) {
    this.req = { context: new RequestContext(undefined as never, of), readableLength: 0 };
  }

  destroy(): void {
    this.destroyed = true;
  }
}

const answer = (...of: ConstructorParameters<typeof FakeAnswer>) =>
  new FakeAnswer(...of) as unknown as ApiResponse & FakeAnswer;

function look(unread: UnreadAnswers, responses: readonly ApiResponse[], times: number, timed = true): void {
  for (let at = 0; at < times; at += 1) {
    unread.begin();
    for (const response of responses) unread.look(response, timed);
    unread.end();
  }
}

test("an answer of which nothing is taken is no work after half a second, and is broken off after twenty", () => {
  const aborted: ApiResponse[] = [];
  const unread = new UnreadAnswers((response) => aborted.push(response));
  const response = answer(connection(), 1000);
  let left = 0;
  response.req.context.end.place = () => {
    left += 1;
  };
  look(unread, [response], 1);
  expect(left).toBe(0);
  look(unread, [response], 1);
  expect([left, unread.bytes]).toEqual([1, 1000]);
  look(unread, [response], 77);
  expect(response.destroyed).toBe(false);
  look(unread, [response], 1);
  expect([response.destroyed, aborted]).toEqual([true, [response]]);
});

test("one that is taken slowly is not", () => {
  const unread = new UnreadAnswers(() => {});
  const response = answer(connection(), 1000);
  for (let at = 0; at < 20; at += 1) {
    look(unread, [response], 60);
    response.req.context.responseBytes += 1;
  }
  expect(response.destroyed).toBe(false);
});

test("one that has not begun waits for the server, not for the client", () => {
  const unread = new UnreadAnswers(() => {});
  const response = answer(connection(), 0, false);
  Object.assign(response.req, { readableLength: 1000 });
  look(unread, [response], 200);
  expect(response.destroyed).toBe(false);
});

test("streams may pause, but what they hold counts", () => {
  const unread = new UnreadAnswers(() => {});
  const response = answer(connection(), 1000);
  look(unread, [response], 200, false);
  expect([response.destroyed, unread.bytes]).toEqual([false, 1000]);
});

test("a connection that holds too much is closed", () => {
  const unread = new UnreadAnswers(() => {}, { ofAll: 10_000, ofConnection: 1000 });
  const [greedy, modest] = [connection(), connection()];
  look(unread, [answer(greedy, 600), answer(greedy, 600), answer(modest, 600)], 2);
  expect([greedy.closedFor, modest.closedFor]).toEqual(["unread", undefined]);
});

test("where all together hold too much, those go first that hold most, until the rest has room", () => {
  const unread = new UnreadAnswers(() => {}, { ofAll: 1000, ofConnection: 1000 });
  const connections = [300, 500, 100, 400].map((bytes) => ({ bytes, of: connection() }));
  look(
    unread,
    connections.map(({ bytes, of }) => answer(of, bytes)),
    2,
  );
  expect(connections.map(({ of }) => of.closedFor)).toEqual([undefined, "unread", undefined, undefined]);
});
