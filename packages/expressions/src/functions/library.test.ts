// Functions of the Kubernetes CEL libraries, which the conformance tests do not cover.
import { expect, test } from "@jest/globals";
import { Budget, ObjectBudget } from "../cost/budget";
import { programOf } from "../evaluation/program";
import { ExpressionError } from "../syntax/expression-error";
import { parseExpression } from "../syntax/parser";
import { check } from "../typing/checker";
import { BudgetExceeded, EvaluationError } from "../values/evaluation-error";
import { LIBRARY } from "./library";

function resultOf(source: string): unknown {
  const environment = { functions: LIBRARY, variables: new Map(), literals: "ofOneType", mode: "checked" } as const;
  const checked = check(source, parseExpression(source), environment);
  return programOf(checked, [])({ slots: [], budget: new Budget(new ObjectBudget()) });
}

function errorOf(source: string): string {
  try {
    resultOf(source);
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof EvaluationError || error instanceof BudgetExceeded)
      return error.message;
    throw error;
  }
  return "no error";
}

test.each([
  // lists
  "[1, 2, 2].isSorted() && ![2, 1].isSorted() && ['a', 'b'].isSorted() && [].isSorted()",
  "[1, 3, 2].min() == 1 && ['b', 'a'].max() == 'b' && [1.5, 2.5].sum() == 4.0",
  "[1, 2].sum() == 3 && [duration('1m'), duration('1s')].sum() == duration('61s')",
  "['a', 'b', 'a'].indexOf('a') == 0 && ['a', 'b', 'a'].lastIndexOf('a') == 2 && ['a'].indexOf('c') == -1",
  "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [].sort() == []",
  "[{'n': 'b', 'a': '2'}, {'n': 'a', 'a': '3'}].sortBy(e, e.n).map(e, e.a) == ['3', '2'] && [1, -3, 2].sortBy(e, -e) == [2, 1, -3]",
  "lists.range(4) == [0, 1, 2, 3] && lists.range(0) == [] && lists.range(3).reverse() == [2, 1, 0]",
  "[1, 2, 2, 1].distinct() == [1, 2] && [[1], [1], [2]].distinct() == [[1], [2]]",
  "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1, 2], [3]].flatten() == [1, 2, 3] && [[[1], [2]], [[3]]].flatten(2) == [1, 2, 3]",
  // strings
  "'  x '.trim() == 'x' && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && ['a', 'b'].join('-') == 'a-b'",
  "'tacocat'.replace('c', 'x', 1) == 'taxocat' && 'aßc'.upperAscii() == 'AßC' && 'añb'.reverse() == 'bña'",
  "'min (%d) over %s'.format([3, 'max']) == 'min (3) over max'",
  // regular expressions
  "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''",
  "'1 22 333'.findAll('[0-9]+') == ['1', '22', '333'] && '1 22 333'.findAll('[0-9]+', 2) == ['1', '22']",
  // sets
  "sets.contains([1, 2, 3], [2, 3]) && sets.equivalent([1, 2, 2], [2, 1]) && !sets.intersects([1], [2])",
  // URLs
  "isURL('https://a.example:80/x') && isURL('/path') && !isURL('../x') && !isURL('no url')",
  "url('https://user@a.example:8080/a%20b/c?x=1&y=2&x=3').getHost() == 'a.example:8080'",
  "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:80/').getPort() == '80'",
  "url('https://a.example/a%20b').getEscapedPath() == '/a%20b' && url('/p').getScheme() == ''",
  "url('https://a.example/?x=1&y=a+b&x=3').getQuery() == {'x': ['1', '3'], 'y': ['a b']}",
  "url('https://a.example') == url('https://a.example') && url('https://a.example') != url('https://b.example')",
  // quantities
  "isQuantity('1.5Gi') && !isQuantity('1.5Q') && quantity('1000m') == quantity('1')",
  "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1').compareTo(quantity('2')) == -1",
  "quantity('50k').add(20).sub(quantity('20')) == quantity('50000') && quantity('-1').sign() == -1",
  "quantity('50k').asInteger() == 50000 && !quantity('1500m').isInteger() && quantity('1500m').asApproximateFloat() == 1.5",
  // addresses
  "isIP('10.0.0.1') && isIP('2001:db8::1') && !isIP('10.0.0.256') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
  "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && ip('169.254.1.1').isLinkLocalUnicast()",
  "ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && ip('0.0.0.0').isUnspecified()",
  "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1') && string(ip('2001:db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
  "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
  "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
  "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('::/0').prefixLength() == 0 && !isCIDR('10.0.0.0/33')",
  "string(cidr('10.0.0.0/8').ip()) == '10.0.0.0' && string(cidr('::1/128')) == '::1/128'",
  // named formats
  "!format.dns1123Label().validate('my-name').hasValue() && format.dns1123Label().validate('My').hasValue()",
  "format.named('uuid').value().validate('no uuid').hasValue() && !format.named('no format').hasValue()",
  "!format.date().validate('2024-02-29').hasValue() && format.date().validate('2023-02-29').hasValue()",
  // optionals and two variables
  "{'a': 1}.?b.orValue(2) == 2 && {'a': 1}[?'a'].optMap(x, x + 1).value() == 2",
  "[1, 2].all(i, v, v == i + 1) && {'a': 1}.transformList(k, v, k)[0] == 'a' && cel.bind(x, 3, x * x) == 9",
])("%s", (source) => {
  expect(resultOf(source)).toBe(true);
});

test.each([
  ["'a'.matches('(')", /invalid matches argument/],
  ["'a'.matches(['('][0])", /error parsing regexp/],
  ["quantity('x')", /quantities must match/],
  ["quantity('1500m').asInteger()", /cannot convert value to integer/],
  ["url('x')", /URL parse error/],
  ["ip('x')", /IP Address "x" parse error/],
  ["[1, 'a']", /expected type 'int' but found 'string'/],
  ["{'a': 1, 'b': 'c'}", /expected type 'int' but found 'string'/],
  ["1 + 'a'", /found no matching overload for '_\+_' applied to '\(int, string\)'/],
  ["x == 1", /<input>:1:1: undeclared reference to 'x' \(in container ''\)/],
  ["'a'.nothing()", /undeclared reference to 'nothing'/],
  ["lists.range(1000000000000) == []", /actual cost limit exceeded/],
  ["lists.range(10000).sort() == [] && lists.range(10000).distinct() == []", /actual cost limit exceeded/],
  ["[dyn(1), dyn('a')].sort() == []", /same type/],
  ["[1].sortBy(e, [e]) == []", /found no matching overload/],
  ["[].min() == 1", /min called on empty list/],
])("%s fails", (source, message) => {
  expect(errorOf(source)).toMatch(message);
});
