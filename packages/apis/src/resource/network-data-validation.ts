// Rules of the network interface that a device provides. Source: validateNetworkDeviceData in
// pkg/apis/resource/validation/validation.go.
import { fields, type Rule } from "@orch/apis-model";
import { familyOf, ipErrors } from "@orch/machinery";
import type { resourceV1 } from "@orch/schema";
import { cappedSet } from "./capped-lists";

const NAME_MAX_BYTES = 256;
const HARDWARE_ADDRESS_MAX_BYTES = 128;
const ADDRESSES_MAX = 16;

const maxBytes =
  (max: number): Rule<string> =>
  (text, at, report) => {
    if (Buffer.byteLength(text) > max) report.tooLong(at, max);
  };

const ADDRESS_DETAIL = "must be an address in CIDR form, such as 10.1.2.3/24 or 2001:db8::1/64";
const LENGTH = /^(0|[1-9]\d{0,2})$/;

/** Address of an interface with the length of its prefix. */
const interfaceAddress: Rule<string> = (text, at, report) => {
  const [address = "", length = "", ...more] = text.split("/");
  const bits = familyOf(address) === "IPv4" ? 32 : 128;
  const fits = ipErrors(address).length === 0 && LENGTH.test(length) && Number(length) <= bits && more.length === 0;
  if (!fits) report.invalid(at, text, ADDRESS_DETAIL);
};

export const networkData: Rule<resourceV1.NetworkDeviceData> = fields<resourceV1.NetworkDeviceData>({
  interfaceName: maxBytes(NAME_MAX_BYTES),
  hardwareAddress: maxBytes(HARDWARE_ADDRESS_MAX_BYTES),
  ips: cappedSet(ADDRESSES_MAX, interfaceAddress, (address) => address),
});
