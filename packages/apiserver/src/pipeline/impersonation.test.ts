import { expect, test } from "@jest/globals";
import type { Attributes, Authorizer } from "@orch/auth";
import type { Connection } from "@orch/http-server";
import { ServerMetrics } from "@orch/observability";
import { type ApiRequest, type ApiResponse, RequestContext } from "@orch/request";
import { vocabularyOf } from "@orch/schema";
import { impersonation } from "./impersonation";

const metrics = new ServerMetrics({ disabled: [], process: false, release: "1.23", showHidden: false, warn() {} });
const OFF = { AuthorizeWithSelectors: false, ConstrainedImpersonation: false };
const ADA = { name: "ada", groups: ["g"] };

/** Runs the step for a request that impersonates a number of groups. */
async function run(groups: number, authorizer: Authorizer, end?: (context: RequestContext) => void) {
  const context = new RequestContext(undefined as never, undefined as unknown as Connection);
  context.user = ADA;
  const rawHeaders = ["Impersonate-User", "jane"];
  for (let at = 0; at < groups; at++) rawHeaders.push("Impersonate-Group", `g${at}`);
  const request = { context, rawHeaders, headers: {} } as unknown as ApiRequest;
  end?.(context);
  const step = impersonation({ authorizer, metrics, vocabulary: vocabularyOf("orch"), release: "1.23", gates: OFF });
  const went: unknown = await Promise.race([
    new Promise((resolve) => step(request, { req: request } as ApiResponse, (error) => resolve(error ?? "on"))),
    new Promise((resolve) => context.end.addEventListener("abort", () => setTimeout(resolve, 20, "nowhere"))),
  ]);
  return { context, went };
}

test.each([false, true])("every part is asked for, as who really asks (later: %s)", async (late) => {
  const asked: Attributes[] = [];
  const { context, went } = await run(3, {
    authorize(attributes) {
      asked.push(attributes);
      return late ? Promise.resolve({ kind: "allow", reason: "" }) : { kind: "allow", reason: "" };
    },
  });
  expect(asked.map(({ user, verb }) => [user, verb])).toEqual(Array(4).fill([ADA, "impersonate"]));
  expect(went).toBe("on");
  expect(context.user).toEqual({ name: "jane", groups: ["g0", "g1", "g2", "system:authenticated"] });
  expect(context.impersonator).toBe(ADA);
});

test.each(["deny", "noOpinion"] as const)(
  "a part of which the authorizers say %s is refused, and nothing is asked after it",
  async (kind) => {
    let asked = 0;
    const { context, went } = await run(3, {
      authorize: () => ({ kind: ++asked === 2 ? kind : "allow", reason: "why" }),
    });
    expect(went).toMatchObject({ code: 403, message: expect.stringMatching(/^groups "g0" is forbidden: .*: why$/) });
    expect([asked, context.user, context.impersonator]).toEqual([2, ADA, undefined]);
  },
);

test("a failing authorizer rejects impersonation", async () => {
  const { context, went } = await run(1, { authorize: () => Promise.reject(new Error("out of order")) });
  expect(went).toEqual(new Error("out of order"));
  expect(context.user).toBe(ADA);
});

test("others have their turn between thousands of questions", async () => {
  let others = 0;
  const next = () => {
    others += 1;
    if (others < 1000) setImmediate(next);
  };
  setImmediate(next);
  await run(2000, { authorize: () => ({ kind: "allow", reason: "" }) });
  expect(others).toBeGreaterThanOrEqual(10);
});

test("nothing is asked for a client that has left", async () => {
  let asked = 0;
  let left: RequestContext | undefined;
  const { context, went } = await run(
    2000,
    {
      async authorize() {
        if (++asked === 3) left?.end.abort();
        return { kind: "allow", reason: "" };
      },
    },
    (of) => {
      left = of;
    },
  );
  expect([asked, went, context.user]).toEqual([3, "nowhere", ADA]);
});
