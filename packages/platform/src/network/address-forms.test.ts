import { expect, test } from "@jest/globals";
import { type AddressClass, addressClass, equivalentAddresses } from "./address-forms";

test.each<[string, readonly string[]]>([
  ["10.0.0.1", ["10.0.0.1"]],
  ["::ffff:10.0.0.1", ["::ffff:a00:1", "10.0.0.1"]],
  ["::ffff:0a00:0001", ["::ffff:a00:1", "10.0.0.1"]],
  ["0:0:0:0:0:ffff:10.0.0.1", ["::ffff:a00:1", "10.0.0.1"]],
  ["::ffff:0:10.0.0.1", ["::ffff:0:a00:1", "10.0.0.1"]],
  ["::10.0.0.1", ["::a00:1", "10.0.0.1"]],
  ["64:ff9b::10.0.0.1", ["64:ff9b::a00:1", "10.0.0.1"]],
  ["64:FF9B:0:0::a00:1", ["64:ff9b::a00:1", "10.0.0.1"]],
  ["64:ff9b:1::10.0.0.1", ["64:ff9b:1::a00:1", "10.0.0.1", "0.0.0.0", "0.0.0.0", "0.0.0.10"]],
  ["2002:a00:1::1", ["2002:a00:1::1", "10.0.0.1"]],
  ["2001:0:1::f5ff:fffe", ["2001:0:1::f5ff:fffe", "10.0.0.1"]],
  ["fd00::5efe:10.0.0.1", ["fd00::5efe:a00:1", "10.0.0.1"]],
  ["fd00::200:5efe:10.0.0.1", ["fd00::200:5efe:a00:1", "10.0.0.1"]],
  ["fd00:0:0:1::2", ["fd00:0:0:1::2"]],
  ["fe80::1%eth0", ["fe80::1"]],
  ["::1", ["::1"]],
  ["::", ["::"]],
  ["web.example", []],
  ["127.1", []],
  ["010.0.0.1", []],
  ["", []],
])("%s means %j", (address, expected) => expect(equivalentAddresses(address)).toEqual(expected));

test.each<[AddressClass | undefined, readonly string[]]>([
  [
    "unicast",
    ["10.1.2.3", "192.0.2.1", "fd00::2", "2001:db8::1", "64:ff9b::192.0.2.1", "::192.0.2.1", "2002:c000:201::1"],
  ],
  [
    "loopback",
    [
      "127.0.0.1",
      "127.255.0.9",
      "::1",
      "::ffff:127.0.0.1",
      "::127.0.0.1",
      "64:ff9b::127.0.0.1",
      "2002:7f00:1::",
      "::1%lo",
    ],
  ],
  ["unspecified", ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0", "64:ff9b::0.0.0.1", "64:ff9b::"]],
  ["link-local", ["169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0", "::ffff:169.254.0.1", "::169.254.169.254"]],
  ["multicast", ["224.0.0.1", "239.1.1.1", "ff02::1"]],
  ["broadcast", ["255.255.255.255", "::ffff:255.255.255.255"]],
  ["metadata", ["fd00:ec2::254", "fd00:0ec2:0::254", "fd20:ce::254"]],
  [undefined, ["", "web.example", "0177.0.0.1", "2130706433", "0x7f.1"]],
])("an address is %s: %j", (expected, addresses) => {
  expect(addresses.map((address) => [address, addressClass(address)])).toEqual(
    addresses.map((address) => [address, expected]),
  );
});
