import { expect, test } from "@jest/globals";
import { TokenRequestLimits } from "./token-request-limits";

const BOUNDS = { total: 6, unknown: 4, unknownOfAddress: 3, unknownOfConnection: 2 };
const at = (address: string) => ({ address, peerCertificate: () => undefined });

test("unknown tokens are bounded by connection, by address and altogether, and leave room for known ones", () => {
  const places = new TokenRequestLimits(BOUNDS);
  const [one, other, elsewhere] = [at("192.0.2.1"), at("192.0.2.1"), at("192.0.2.2")];
  const took = (token: string, connection = one) => places.take(token, connection) !== undefined;
  expect([took("a"), took("b"), took("c")]).toEqual([true, true, false]);
  expect([took("d", other), took("e", other)]).toEqual([true, false]);
  expect([took("f", elsewhere), took("g", elsewhere)]).toEqual([true, false]);
  places.settled("good", true);
  expect([took("good"), took("good"), took("good")]).toEqual([true, true, false]);
});

test("a place is free again once it is given back, and a token that is refused is unknown again", () => {
  const places = new TokenRequestLimits({ ...BOUNDS, unknown: 1 });
  const connection = at("192.0.2.1");
  for (let time = 0; time < 3; time += 1) {
    const giveBack = places.take(`t${time}`, connection);
    expect([giveBack === undefined, places.take("another", connection)]).toEqual([false, undefined]);
    giveBack?.();
  }
  places.settled("good", true);
  const giveBack = places.take("t", connection);
  places.settled("good", false);
  expect(places.take("good", connection)).toBeUndefined();
  giveBack?.();
  expect(places.take("good", connection)).toBeDefined();
});
