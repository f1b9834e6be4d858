// Validation of limit ranges. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  allowsOvercommit,
  containerResourceName,
  each,
  fields,
  isExact,
  type Place,
  quantityOf,
  type Report,
  type ResourceList,
  type Rule,
  resourceName,
  unique,
  validator,
} from "@orch/apis-model";
import { qualifiedNameErrors } from "@orch/machinery";
import { compareQuantities, type coreV1, memberOf, type Quantity } from "@orch/schema";

const LISTS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

const STANDARD_TYPES: ReadonlySet<string> = new Set(["Pod", "Container", "PersistentVolumeClaim"]);

const typeName: Rule<coreV1.LimitRangeItem> = ({ type }, at, report) => {
  const errors = qualifiedNameErrors(type);
  if (errors.length > 0) report.misformed(at.field("type"), type, errors);
  else if (!type.includes("/") && !STANDARD_TYPES.has(type)) {
    report.invalid(at.field("type"), type, "must be a standard limit type or fully qualified");
  }
};

const resourceNames: Rule<coreV1.LimitRangeItem> = (item, at, report) => {
  const check = item.type === "Pod" || item.type === "Container" ? containerResourceName : resourceName;
  for (const list of LISTS) {
    for (const name of Object.keys(item[list] ?? {})) check(name, at.field(list).key(name), report);
  }
};

const listsOfType: Rule<coreV1.LimitRangeItem> = (item, at, report) => {
  if (item.type === "Pod") {
    for (const list of ["default", "defaultRequest"] as const) {
      if (Object.keys(item[list] ?? {}).length > 0) {
        report.forbidden(at.field(list), "may not be specified when `type` is 'Pod'");
      }
    }
  }
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"]) {
    const place = isExact(report) ? at.field("limits") : at;
    report.required(place, "either minimum or maximum storage value is required, but neither was provided");
  }
};

/** Pairs of lists whose first amount must not be larger. The error is reported at the default, if one of them is. */
const ORDER = [
  { smaller: "min", larger: "max", at: "min" },
  { smaller: "min", larger: "defaultRequest", at: "defaultRequest" },
  { smaller: "defaultRequest", larger: "max", at: "defaultRequest" },
  { smaller: "defaultRequest", larger: "default", at: "defaultRequest" },
  { smaller: "min", larger: "default", at: "default" },
  { smaller: "default", larger: "max", at: "default" },
] as const;

const amountsInOrder: Rule<coreV1.LimitRangeItem> = (item, at, report) => {
  for (const { smaller, larger, at: blamed } of ORDER) {
    const [low, high] = [item[smaller], item[larger]];
    for (const name of Object.keys(low ?? {})) {
      const [least, most] = [amount(low, name), amount(high, name)];
      if (least === undefined || most === undefined || compareQuantities(least, most) <= 0) continue;
      const says = `${smaller} value ${low?.[name]} is greater than ${larger} value ${high?.[name]}`;
      report.invalid(at.field(blamed).key(name), item[blamed]?.[name], says);
    }
  }
  ratios(item, at, report);
  exactDefaults(item, at, report);
};

const ONE = quantityOf("1");

function ratios({ min, max, maxLimitRequestRatio: list }: coreV1.LimitRangeItem, at: Place, report: Report): void {
  for (const name of Object.keys(list ?? {})) {
    const place = at.field("maxLimitRequestRatio").key(name);
    const ratio = amount(list, name) as Quantity;
    if (compareQuantities(ratio, ONE) < 0) report.invalid(place, list?.[name], `ratio ${list?.[name]} is less than 1`);
    const [least, most] = [amount(min, name), amount(max, name)];
    if (least === undefined || most === undefined || least.nanos === 0n) continue;
    const product = ratio.nanos * least.nanos;
    const limit = most.nanos * ONE.nanos;
    // The quotient of a negative minimum is smaller than the ratio when the product is smaller than the maximum.
    if (least.nanos > 0n ? product > limit : product < limit) {
      report.invalid(place, list?.[name], `ratio ${list?.[name]} is greater than max/min`);
    }
  }
}

/** Requires equal default requests and limits of resources that do not allow overcommit. */
function exactDefaults(item: coreV1.LimitRangeItem, at: Place, report: Report): void {
  for (const name of Object.keys(item.defaultRequest ?? {})) {
    if (allowsOvercommit(name, report.vocabulary)) continue;
    const [request, limit] = [amount(item.defaultRequest, name), amount(item.default, name)];
    if (request === undefined || limit === undefined || compareQuantities(request, limit) === 0) continue;
    const says = `default value must equal defaultRequest value for ${name}`;
    report.invalid(at.field("defaultRequest").key(name), item.defaultRequest?.[name], says);
  }
}

const amount = (list: ResourceList | undefined, name: string): Quantity | undefined =>
  optionalQuantity(list && memberOf(list, name));

const optionalQuantity = (text: string | undefined): Quantity | undefined =>
  text === undefined ? undefined : quantityOf(text);

export const limitRangeErrors = validator(
  fields<coreV1.LimitRange>({
    spec: fields<coreV1.LimitRangeSpec>({
      limits: all(
        each(all(typeName, resourceNames, listsOfType, amountsInOrder)),
        unique(({ type }) => type, { field: "type" }),
      ),
    }),
  }),
);
