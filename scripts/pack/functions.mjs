// Finds the functions of a text by names that stay when other functions of the text change.
import { parse } from "acorn";

/** Matches the name of a function of a script: the number of its module, a function without a name, and the rest. */
const MODULE = /^(?:#(\d+))?(.*)$/s;
const BLANKS = /\s/g;
/** Name of the function that V8 makes of the fields of a class. */
const FIELDS = "fields";
const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionDeclaration", "FunctionExpression"]);
const CLASSES = new Set(["ClassDeclaration", "ClassExpression"]);

/**
 * Returns the functions of an expression, by name. A name begins with the names of the functions and classes around the
 * function. Functions without a name, and further ones of a name, have numbers.
 * @returns `start` and `end`, and `inside`: a position in the function and in none of the functions within it
 */
function functionsOf(text) {
  const found = new Map();
  const numbers = new Map();

  const add = (plain, place) => {
    const number = numbers.get(plain) ?? 0;
    numbers.set(plain, number + 1);
    const name = number === 0 ? plain : `${plain}#${number}`;
    found.set(name, place);
    return name;
  };
  const visit = (node, outer, named) => {
    const name = `${outer}${node.id?.name ?? named}`;
    if (FUNCTIONS.has(node.type)) {
      const full = add(name, { start: node.start, end: node.end, inside: insideOf(text, node) });
      visitEach(node, `${full}/`);
    } else if (CLASSES.has(node.type)) {
      const fields = node.body.body.filter((each) => each.type === "PropertyDefinition" && !each.static);
      if (fields.length > 0) add(`${name}.${FIELDS}`, { ...ends(text, fields), inside: fields[0].start });
      visitEach(node, `${name}.`);
    } else visitEach(node, outer);
  };
  const visitEach = (node, outer) => {
    for (const [key, value] of Object.entries(node))
      for (const child of [value].flat()) if (typeof child?.type === "string") visit(child, outer, nameOf(node, key));
  };
  visit(parse(text, { ecmaVersion: "latest", sourceType: "script" }), "", "");
  return found;
}

/** Returns where V8 lets the function of fields begin and end: a semicolon after the last one does not belong to it. */
function ends(text, fields) {
  const { end } = fields.at(-1);
  return { start: fields[0].start, end: text[end - 1] === ";" ? end - 1 : end };
}

/** Returns a position after the parameters, which may contain functions, and before the body, which may be one. */
const insideOf = (text, { body }) => (body.type === "BlockStatement" ? body.start : text.lastIndexOf("=>", body.start));

/** Returns the name that a function or class gets from the node that contains it; "" for none. */
function nameOf(node, key) {
  if (key === "init") return node.id?.name ?? "";
  if (key === "right") return node.left?.property?.name ?? node.left?.name ?? "";
  if (key !== "value") return "";
  const kind = node.kind === "get" || node.kind === "set" ? `${node.kind}:` : "";
  return `${kind}${String(node.key?.name ?? node.key?.value ?? "").replace(BLANKS, "_")}`;
}

/**
 * Returns the functions of a script of a pack, by module.
 * @param paths paths of the modules of the script
 */
export function functionsByModule(text, paths) {
  const byModule = new Map(paths.map((path) => [path, new Map()]));
  for (const [name, place] of functionsOf(text)) {
    const [, number = "0", within] = MODULE.exec(name);
    byModule.get(paths[Number(number)]).set(within, place);
  }
  return byModule;
}
