import { expect, test } from "@jest/globals";
import { formatOf } from "./formats";

test.each<[format: string, holds: readonly string[], holdsNot: readonly string[]]>([
  ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["x", "507f1f77bcf86cd79943901"]],
  ["uri", ["http://a/b", "mailto:x@y", "//host", "/abs", "http://[::1]:80/x"], ["", "a/b", "http://a b", "/%zz"]],
  ["email", ["a@b.c", "A <a@b.c>", "a@b"], ["", "a", "a@", "a b@c", "a..b@c"]],
  [
    "hostname",
    ["aa.bb", "A-b", "äö.de", "localhost"],
    ["", "a.b", "a_b.cc", "-a", "a..bb", "1.2.3.4", "a.", "a".repeat(64)],
  ],
  ["ipv4", ["1.2.3.4", "::ffff:1.2.3.4"], ["01.2.3.4", "::1", "1.2.3"]],
  ["ipv6", ["::1", "::ffff:1.2.3.4"], ["1.2.3.4", "fe80::1%eth0", "x"]],
  ["cidr", ["1.2.3.4/8", "::1/64"], ["1.2.3.4", "1.2.3.4/33", "01.2.3.4/8", "::1/129", "1.2.3.4/8/8"]],
  ["mac", ["01:02:03:04:05:06", "0102.0304.0506", "01-02-03-04-05-06", "01:02:03:04:05:06:07:08"], ["01:02", "x"]],
  ["uuid", ["550e8400-e29b-41d4-a716-446655440000", "550E8400e29b41d4a716446655440000"], ["x"]],
  ["uuid3", ["a3bb189e-8bf9-3888-9912-ace4e6543002"], ["550e8400-e29b-41d4-a716-446655440000"]],
  ["uuid4", ["550e8400-e29b-41d4-a716-446655440000"], ["a3bb189e-8bf9-3888-9912-ace4e6543002"]],
  ["uuid5", ["74738ff5-5367-5958-9aee-98fffdcd1876"], ["550e8400-e29b-41d4-a716-446655440000"]],
  ["isbn", ["0-306-40615-2", "9780306406157"], ["123"]],
  ["isbn10", ["0306406152", "080442957X"], ["0306406153"]],
  ["isbn13", ["978-0-306-40615-7"], ["9780306406158"]],
  ["creditcard", ["4111111111111111", "4111-1111-1111-1111"], ["4111111111111112", "1234"]],
  ["ssn", ["123-45-6789", "123 45 6789"], ["123456789"]],
  ["hexcolor", ["#fff", "fff", "#ffffff"], ["#ffff", "red"]],
  ["rgbcolor", ["rgb(1,2,3)", "rgb( 1 , 2 , 3 )"], ["rgb(256,0,0)", "rgba(1,2,3,0.5)", "rgb(1%,2%,3%)"]],
  ["byte", ["YQ=="], ["YQ", "a b", "", "_-8="]],
  ["password", ["x", ""], []],
  ["date", ["2020-01-01", "2020-02-29"], ["2020-13-01", "2020-1-1", "2020-02-30"]],
  ["duration", ["1h", "1 day", "3 weeks", "1.5h", "-1h", "1h30m", "1d", "2 hours 3 minutes"], ["5", "", "1 parsec"]],
  [
    "date-time",
    ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123+01:00", "2020-01-01t00:00:00z"],
    ["", "2020-01-01", "2020-01-01T25:00:00Z"],
  ],
])("texts of the format %s", (name, holds, holdsNot) => {
  const format = formatOf(name);
  expect(holds.filter((text) => !format?.holds(text))).toEqual([]);
  expect(holdsNot.filter((text) => format?.holds(text))).toEqual([]);
});

test("an unknown format is ignored, and names are accepted with or without dashes", () => {
  expect(formatOf("int32")).toBeUndefined();
  expect(formatOf("constructor")).toBeUndefined();
  expect(formatOf("datetime")).toBe(formatOf("date-time"));
});

test.each([
  ["k8s-short-name", ["a", "a-b", "1", "a".repeat(63)], ["", "A", "-a", "a-", "a.b", "a".repeat(64)]],
  ["k8s-long-name", ["a", "a.b-c", "a".repeat(253)], ["", "A.b", "a..b", ".a", "a.-b", "a".repeat(254)]],
])("texts of the format %s, which is unknown while an older release must be compatible", (name, holds, holdsNot) => {
  const format = formatOf(name, true);
  expect(holds.filter((text) => !format?.holds(text))).toEqual([]);
  expect(holdsNot.filter((text) => format?.holds(text))).toEqual([]);
  expect(formatOf(name)).toBeUndefined();
});
