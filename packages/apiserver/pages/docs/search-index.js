// Index of all operations, over their paths, kinds and descriptions. The documents are read one after the other and not kept.

/** Operations that are found at most. */
const FOUND_MAX = 50;
const METHODS = new Set(["get", "put", "post", "patch", "delete", "head", "options"]);
const KIND = /^x-.*-group-version-kind$/;

export class SearchIndex {
  constructor() {
    this.operations = [];
  }

  /** Adds the operations of a document. */
  add(name, { paths = {}, components = {} }) {
    const kinds = descriptionsOfKinds(components.schemas ?? {});
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!METHODS.has(method)) continue;
        const kind = kindIn(operation)?.kind ?? "";
        const { operationId: id = "", description = operation.summary ?? "", tags = [] } = operation;
        const words = `${method} ${path} ${kind} ${description} ${kinds.get(kind) ?? ""}`.toLowerCase();
        const named = { parts: path.toLowerCase().split("/"), lowerKind: kind.toLowerCase() };
        this.operations.push({
          document: name,
          tag: tags[0] ?? "",
          id,
          method,
          path,
          kind,
          description,
          words,
          ...named,
        });
      }
    }
  }

  /** Returns the operations that contain all words of the text. Those whose kind and path have them come first. */
  find(text) {
    const terms = text
      .toLowerCase()
      .split(/\s+/)
      .filter((term) => term !== "");
    if (terms.length === 0) return { found: [], count: 0 };
    const ranked = [];
    let count = 0;
    for (const operation of this.operations) {
      if (!terms.every((term) => operation.words.includes(term))) continue;
      count += 1;
      const rank = terms.reduce((sum, term) => sum + distance(operation, term), 0);
      ranked[rank] ??= [];
      if (ranked[rank].length < FOUND_MAX) ranked[rank].push(operation);
    }
    return { found: ranked.flat().slice(0, FOUND_MAX), count };
  }
}

/** Returns how far a word is from what an operation is about: 0 for its kind or a part of its path, 3 for its description. */
function distance({ path, parts, lowerKind }, term) {
  if (lowerKind === term || parts.includes(term)) return 0;
  if (lowerKind.startsWith(term) || parts.some((part) => part.startsWith(term))) return 1;
  return path.includes(term) ? 2 : 3;
}

function descriptionsOfKinds(schemas) {
  const found = new Map();
  for (const schema of Object.values(schemas)) {
    for (const { kind } of [kindIn(schema) ?? []].flat()) found.set(kind, schema.description ?? "");
  }
  return found;
}

function kindIn(of) {
  const name = Object.keys(of).find((key) => KIND.test(key));
  return name === undefined ? undefined : of[name];
}
