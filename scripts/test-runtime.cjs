// Jest runtime that keeps resolved paths, transformed sources and compiled scripts of a worker for its next test files.
// Each sandbox still runs every module anew.
const { Script } = require("node:vm");
const { default: Runtime } = require("jest-runtime"); // comes with jest

/** Compiled scripts by file. A script runs in any sandbox. */
const scripts = new Map();
/** Transformed sources by file. */
const translations = new Map();
/** Resolved paths by conditions, importing file and specifier. */
const places = new Map();

module.exports = class TestRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const { watch, watchAll } = given.at(-1);
    // In watch mode files change during the life of a worker.
    if (watch || watchAll) return;
    shareCode(this.executor);
    shareTranslations(this.transformCache);
    sharePlaces(this._resolution);
  }
};

function shareCode(executor) {
  const compile = executor.compile.bind(executor);
  const opening = `(function(${executor.injectedModuleParameters.join()}){`;
  executor.compile = (code, filename) => {
    const sandbox = executor.environment.getVmContext();
    if (sandbox === null) return null;
    let script = scripts.get(filename);
    if (script === undefined) {
      try {
        script = new Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length });
      } catch {
        return compile(code, filename); // reports the syntax error
      }
      scripts.set(filename, script);
    }
    return script.runInContext(sandbox);
  };
}

function shareTranslations(cache) {
  const transform = cache.transform.bind(cache);
  cache.transform = (filename, options) => {
    if (options?.isInternalModule) return transform(filename, options);
    const known = translations.get(filename);
    if (known === undefined) {
      const code = transform(filename, options);
      translations.set(filename, cache.transforms.get(filename));
      return code;
    }
    cache.transforms.set(filename, known);
    if (known.sourceMapPath) cache.sourceMaps.set(filename, known.sourceMapPath);
    return known.code;
  };
}

function sharePlaces(resolution) {
  const resolve = resolution.resolveCached.bind(resolution);
  resolution.resolveCached = (from, to, cache, options) => {
    const key = `${options.conditions}\0${from}\0${to}`;
    const place = places.get(key) ?? resolve(from, to, cache, options);
    places.set(key, place);
    return place;
  };
}
