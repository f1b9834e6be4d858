// Bodies in YAML. The library is loaded by the first body that needs it.
import { type DecodeProblem, type JsonValue, pathText } from "@orch/schema";
import type { Node, Pair, ParsedNode, YAMLParseError } from "yaml";

export interface ParsedYaml {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
}

/**
 * Words such as `yes` and `0777` mean what they do in version 1.1. Of keys that a mapping has twice the last one counts.
 * @throws Error for what is no YAML
 */
export async function parseYaml(body: Buffer): Promise<ParsedYaml> {
  const yaml = await import("yaml");
  const document = yaml.parseDocument(body.toString(), { version: "1.1", uniqueKeys: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(errorText(error));
  const problems: DecodeProblem[] = [];
  yaml.visit(document, {
    Map(_key, map, ancestors) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = String(yaml.isScalar(key) ? key.value : key);
        if (seen.has(name)) {
          const path = pathText([...stepsTo([...ancestors, map] as readonly Ancestor[], yaml), name]);
          problems.push({ kind: "duplicateField", path });
        }
        seen.add(name);
      }
    },
  });
  // Through JSON, so that dates, maps and whatever else YAML knows become what JSON has.
  const value = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null)) as JsonValue;
  return { value, problems };
}

/** On one line, and without advice for those who call the library. */
function errorText({ code, message }: YAMLParseError): string {
  return code === "MULTIPLE_DOCS" ? "there is more than one document" : (message.split(/:?\n/)[0] ?? "");
}

type Ancestor = Node | Pair<ParsedNode, ParsedNode | null>;

/** The way from the document's root to the last of nodes that lie in one another. */
function stepsTo(nodes: readonly Ancestor[], yaml: typeof import("yaml")): (string | number)[] {
  return nodes.flatMap((node, at): (string | number)[] => {
    if (yaml.isPair(node)) return [String(yaml.isScalar(node.key) ? node.key.value : node.key)];
    const child = nodes[at + 1];
    if (!yaml.isSeq(node) || child === undefined) return [];
    return [node.items.indexOf(child)];
  });
}
