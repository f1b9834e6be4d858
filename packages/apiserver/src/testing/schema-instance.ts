// Makes an object that conforms to a schema: the required members with the simplest allowed values. Values for patterns
// are guesses.

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

const TEXTS = [
  "a",
  "a-b",
  "A",
  "1",
  "1s",
  "10m",
  "a.example.com",
  "https://a.example.com",
  "10.0.0.0/8",
  "10.0.0.1",
  "a/b",
  "/a",
  "v1",
  "AAAA",
];
const OF_FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2024-05-01T12:00:00Z",
  date: "2024-05-01",
  duration: "1s",
  byte: "YQ==",
  uri: "https://a.example.com",
  ipv4: "10.0.0.1",
  ipv6: "::1",
  cidr: "10.0.0.0/8",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  email: "a@example.com",
  hostname: "a.example.com",
};

export function instanceOf(node: object): unknown {
  return exampleOf(node as Node);
}

function exampleOf(node: Node): unknown {
  if (node["default"] !== undefined) return node["default"];
  const [first] = Array.isArray(node["enum"]) ? node["enum"] : [];
  if (first !== undefined) return first;
  switch (node["type"]) {
    case "object":
      return objectOf(node);
    case "array":
      return Array.from({ length: numberAt(node, "minItems") ?? 0 }, () =>
        exampleOf(isNode(node["items"]) ? node["items"] : {}),
      );
    case "string":
      return textOf(node);
    case "integer":
    case "number":
      return numberOf(node);
    case "boolean":
      return true;
    default:
      return node["x-kubernetes-int-or-string"] === true ? 1 : {};
  }
}

function objectOf(node: Node): object {
  const properties = isNode(node["properties"]) ? node["properties"] : {};
  const required = new Set(Array.isArray(node["required"]) ? (node["required"] as string[]) : []);
  if (isNode(properties["spec"]) && isNode(properties["metadata"])) required.add("spec");
  for (const name of chosenOf(node)) required.add(name);
  const made: Record<string, unknown> = {};
  for (const name of required) {
    const property = properties[name];
    if (name !== "status" && isNode(property)) made[name] = exampleOf(property);
  }
  const rest = node["additionalProperties"];
  for (let at = 0; Object.keys(made).length < (numberAt(node, "minProperties") ?? 0); at += 1) {
    const name = Object.keys(properties)[at] ?? `a${at}`;
    made[name] = exampleOf((isNode(properties[name]) ? properties[name] : isNode(rest) ? rest : {}) as Node);
  }
  return made;
}

/** Required members of the first alternative. */
function chosenOf(node: Node): readonly string[] {
  const ways = [node["oneOf"], node["anyOf"]].flatMap((each) =>
    Array.isArray(each) ? each.slice(0, 1) : [],
  ) as Node[];
  return ways.flatMap((way) => (Array.isArray(way["required"]) ? (way["required"] as string[]) : []));
}

function textOf(node: Node): string {
  const { format, pattern } = node;
  if (typeof format === "string" && OF_FORMATS[format] !== undefined) return OF_FORMATS[format];
  const least = numberAt(node, "minLength") ?? 0;
  const texts = TEXTS.map((text) => text.padEnd(least, "a"));
  return texts.find((text) => typeof pattern !== "string" || matches(pattern, text)) ?? "a";
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}

function numberOf(node: Node): number {
  const least = numberAt(node, "minimum");
  const most = numberAt(node, "maximum");
  const value = Math.min(Math.max(least ?? 1, 1), most ?? Number.POSITIVE_INFINITY);
  return node["exclusiveMinimum"] === true && value === least ? value + 1 : value;
}

const numberAt = (node: Node, keyword: string): number | undefined =>
  typeof node[keyword] === "number" ? (node[keyword] as number) : undefined;
