// Rewrites the imports of this repository's compiled modules for the pack. A module then requires the module that defines
// what it uses, not an index file that passes it on. A module that a start does not need is loaded when one of its members
// is first used. The TypeScript compiler writes imports and their uses in few forms, which the patterns here match.
import { isBuiltin } from "node:module";

/** Matches an import whose members are used as `name.member`. The compiler adds the number to the name. */
const IMPORT = /^(?:const|var) (\w+_\d+) = require\("([^"\n]+)"\);$/gm;
/** Name for the function that loads modules. Functions of a module may have variables with the name `require`. */
export const LATER = "requireLater";
export const LATER_DECLARED = `const ${LATER} = require;`;
/** Matches an import at the first use of its members, inside of a function. */
const IMPORT_INSIDE = /^( +)const \{ ([\w, ]+) \} = require\("([^"\n]+)"\);$/gm;
/** Matches a member that an index file passes on. */
const PASSED_ON =
  /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+)\.(\w+); \} \}\);/gm;
const ALL_PASSED_ON = /^__exportStar\(require\("([^"\n]+)"\), exports\);/gm;
/** Matches a module that an index file passes on as a member. */
const MODULE_PASSED_ON = /^exports\.(\w+) = __importStar\(require\("([^"\n]+)"\)\);/gm;
/** Matches before a name that is not the member of an object. Three dots spread a value. */
const BEFORE_NAME = String.raw`(?<![\w$]|(?<!\.\.)\.)`;
/** Matches the first variable of an import that is rewritten. */
const FIRST_DECLARATION = /^(?:let \w+_\d+;|const \w+_\d+ = require\()/m;
const EXPORTED = /\bexports\.(\w+) =/g;

export class Imports {
  #found;
  #isOurs;
  #faces = new Map();

  /**
   * @param found modules by path: their text, and the paths of the modules that they require, by specifier
   * @param isOurs reports whether a path is that of a module of this repository
   */
  constructor(found, isOurs) {
    this.#found = found;
    this.#isOurs = (path) => found.has(path) && isOurs(path) && path.endsWith(".js");
  }

  /**
   * Returns the text of a module with its imports rewritten. It requires modules of this repository by path.
   * @param isEager reports whether a required module, given by its path or by the name of a built-in module, is loaded
   * together with the module
   */
  rewritten(path, isEager) {
    const { requires } = this.#found.get(path);
    const text = this.#found.get(path).text.replace(IMPORT_INSIDE, (line, indent, names, specifier) => {
      const wanted = { path: requires[specifier], specifier };
      if (!this.#isOurs(wanted.path)) return line;
      return indent.concat(...names.split(", ").map((name) => `${this.#imported(name, wanted)} `)).trimEnd();
    });
    const imports = this.#importsOf(path);
    if (imports.size === 0) return text;
    const uses = new Map(Array.from(imports.keys(), (name) => [name, new Map()]));
    let hasLate = false;
    const holderOf = (variable, source, wanted) => {
      if (isEager(source.path)) return variable;
      hasLate = true;
      return `(${variable} ??= ${LATER}(${this.#specifier(wanted, source.path)}))`;
    };
    const members = new RegExp(`${BEFORE_NAME}(${[...imports.keys()].join("|")})\\.(\\w+)`, "g");
    const body = text.replace(members, (_use, name, member) => {
      const source = this.#sourceOf(imports.get(name), member);
      const known = uses.get(name);
      if (!known.has(source.path)) known.set(source.path, known.size === 0 ? name : `${name}_${known.size}`);
      const variable = known.get(source.path);
      const holder = holderOf(variable, source, imports.get(name));
      return source.member === undefined ? holder : `${holder}.${source.member}`;
    });
    const declared = (name) =>
      Array.from(uses.get(name), ([path, variable]) =>
        isEager(path) ? `const ${variable} = ${this.#required(imports.get(name), path)};` : `let ${variable};`,
      ).join(" ");
    const rewritten = body.replace(IMPORT, (line, name) => (uses.has(name) ? declared(name) : line));
    return hasLate ? rewritten.replace(FIRST_DECLARATION, `${LATER_DECLARED} $&`) : rewritten;
  }

  /** Returns the imports of a module that can be rewritten, by name: all of whose uses are those of members. */
  #importsOf(path) {
    const { text, requires } = this.#found.get(path);
    const imports = new Map();
    for (const [, name, specifier] of text.matchAll(IMPORT)) {
      const wanted = isBuiltin(specifier) ? specifier : requires[specifier];
      if (wanted === undefined) continue;
      const all = text.match(new RegExp(`${BEFORE_NAME}${name}\\b`, "g")).length;
      const ofMembers = text.match(new RegExp(`${BEFORE_NAME}${name}\\.\\w`, "g"))?.length ?? 0;
      if (all === ofMembers + 1) imports.set(name, { path: wanted, specifier });
    }
    return imports;
  }

  #imported(name, wanted) {
    const source = this.#sourceOf(wanted, name);
    const member = source.member === undefined ? "" : `.${source.member}`;
    return `const ${name} = ${this.#required(wanted, source.path)}${member};`;
  }

  #required(wanted, path) {
    return `require(${this.#specifier(wanted, path)})`;
  }

  #specifier(wanted, path) {
    return JSON.stringify(this.#isOurs(path) ? path : wanted.specifier);
  }

  /** Returns the module that defines a member, and the member's name there: undefined for the module itself. */
  #sourceOf({ path }, member) {
    const passed = this.#isOurs(path) ? this.#faceOf(path).get(member) : undefined;
    if (passed === undefined) return { path, member };
    return passed.member === undefined ? passed : this.#sourceOf(passed, passed.member);
  }

  /** Returns the members of a module that other modules define, by name. */
  #faceOf(path) {
    const known = this.#faces.get(path);
    if (known !== undefined) return known;
    const face = new Map();
    this.#faces.set(path, face);
    const { text, requires } = this.#found.get(path);
    for (const [, specifier] of text.matchAll(ALL_PASSED_ON))
      for (const member of this.#membersOf(requires[specifier]))
        face.set(member, { path: requires[specifier], member });
    const imports = new Map(Array.from(text.matchAll(IMPORT), ([, name, specifier]) => [name, requires[specifier]]));
    for (const [, name, holder, member] of text.matchAll(PASSED_ON))
      if (this.#isOurs(imports.get(holder))) face.set(name, { path: imports.get(holder), member });
    for (const [, name, specifier] of text.matchAll(MODULE_PASSED_ON))
      if (this.#isOurs(requires[specifier])) face.set(name, { path: requires[specifier], member: undefined });
    return face;
  }

  /** Returns the names of the members of a module. */
  #membersOf(path) {
    if (!this.#isOurs(path)) return [];
    const own = Array.from(this.#found.get(path).text.matchAll(EXPORTED), ([, name]) => name);
    return new Set([...own, ...this.#faceOf(path).keys()]);
  }
}
