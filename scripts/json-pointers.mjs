// JSON pointers of RFC 6901 into the objects of testdata: reading, setting and removing values.

/** Replaces `{"$repeat":"x","times":300}` by the long text. */
function spelledOut(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(spelledOut);
  if (typeof value.$repeat === "string") return value.$repeat.repeat(value.times);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spelledOut(each)]));
}

const stepsOf = (pointer) =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Sets the value at a JSON pointer. Missing parents are created, and null removes the value. */
function set(object, pointer, value) {
  const steps = stepsOf(pointer);
  const last = steps.pop();
  let at = object;
  for (const [depth, step] of steps.entries()) {
    at[step] ??= /^\d+$/.test(steps[depth + 1] ?? last) ? [] : {};
    at = at[step];
  }
  if (value !== null) at[last] = spelledOut(value);
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
}

/** Returns the value at a JSON pointer; null for none. */
export function valueAt(object, pointer) {
  let at = object;
  for (const step of stepsOf(pointer)) at = at?.[step];
  return at ?? null;
}

/** Returns a copy of an object with other values. @param values by JSON pointer */
export function withValues(base, values) {
  const object = structuredClone(base);
  for (const [pointer, value] of Object.entries(values)) set(object, pointer, value);
  return object;
}
