// How modules come into the sandbox of a test file: as with jest's own runtime, but what a worker has found, translated and compiled for one
// file serves the next ones too. Each sandbox runs every module anew, as ever.
const { Script } = require("node:vm");
const { default: Runtime } = require("jest-runtime"); // comes with jest

/** By file: a compiled script, which runs in any sandbox. */
const scripts = new Map();
/** By file. */
const translations = new Map();
/** By how, from where and what is asked for. */
const places = new Map();

module.exports = class TestRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const { watch, watchAll } = given.at(-1);
    // Who watches changes files while a worker lives.
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
        return compile(code, filename); // which says what is wrong with it
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
