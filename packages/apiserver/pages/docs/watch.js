// Shows the events of a watch that is tried out, as they arrive, until it ends or is stopped.
const panel = document.getElementById("watch");
const list = document.getElementById("events");
const state = document.getElementById("watch-state");
/** Newest events that the page keeps, and the characters of all of them. */
const EVENTS_MAX = 200;
const KEPT_MAX = 4_000_000;
/** Characters of one event that the page keeps. A longer one is shown cut. */
const EVENT_LENGTH_MAX = 100_000;
/** Characters of a line: more than any event of a server has, and less than a browser has memory for. */
const LINE_MAX = 32_000_000;

let stop = () => {};
/** Signal of the watch whose events are listed. */
let followed;
/** Characters of the events in the list. */
let kept = 0;

export function isWatch({ url }) {
  const { pathname, searchParams } = new URL(url, location.href);
  const asked = searchParams.get("watch");
  return (
    (asked !== null && asked !== "false" && asked !== "0") || /^\/(api|apis\/[^/]+)\/[^/]+\/watch\//.test(pathname)
  );
}

/**
 * Does what `fetch` does. The answer of a watch that begins is a sentence, for what is behind it never ends; its events go to the panel.
 * A refusal is returned as it is.
 */
export async function watch(url, options) {
  stop();
  const ending = new AbortController();
  stop = () => ending.abort();
  const answer = await fetch(url, { ...options, signal: ending.signal });
  if (!answer.ok || answer.body === null) return answer;
  clear();
  panel.hidden = false;
  follow(answer.body, ending.signal);
  const text = "The watch has started. Its events are listed at the top of the page.";
  return new Response(text, { status: answer.status, headers: { "Content-Type": "text/plain" } });
}

/** Stops the watch and forgets its events. */
export function endWatch() {
  stop();
  clear();
  panel.hidden = true;
}

function clear() {
  list.replaceChildren();
  kept = 0;
}

async function follow(body, signal) {
  followed = signal;
  let count = 0;
  const say = (what) => {
    if (followed !== signal) return; // another watch has begun
    state.textContent = `${count} ${count === 1 ? "event" : "events"}, ${what}`;
  };
  say("waiting for more");
  try {
    for await (const lines of linesOf(body)) {
      if (signal.aborted) break;
      count += lines.length;
      // Those before are pushed out by those after them.
      for (const line of lines.slice(-EVENTS_MAX)) show(line);
      say("waiting for more");
    }
    say(signal.aborted ? "stopped" : "the server ended the watch");
  } catch (error) {
    if (signal.aborted) say("stopped");
    else say(`the watch was interrupted: ${error.message}`);
  }
}

/** Yields the lines of each part of the answer. */
async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  let length = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = value.split("\n");
      const last = lines.pop();
      if (lines.length > 0) {
        lines[0] = [...parts, lines[0]].join("");
        parts = [];
        length = 0;
        yield lines;
      }
      parts.push(last);
      length += last.length;
      if (length > LINE_MAX) throw new Error(`an event has more than ${LINE_MAX} characters`);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The newest event stands first. Its text is formatted when it is opened. */
function show(line) {
  const text = line.length > EVENT_LENGTH_MAX ? `${line.slice(0, EVENT_LENGTH_MAX)} …` : line;
  const summary = document.createElement("summary");
  summary.textContent = titleOf(line);
  const content = document.createElement("pre");
  const item = document.createElement("details");
  item.append(summary, content);
  item.addEventListener("toggle", () => {
    content.textContent = item.open ? formatted(text) : "";
  });
  lengths.set(item, text.length);
  kept += text.length;
  list.prepend(item);
  while (list.childElementCount > EVENTS_MAX || (kept > KEPT_MAX && list.childElementCount > 1)) {
    const oldest = list.lastElementChild;
    kept -= lengths.get(oldest);
    oldest.remove();
  }
}

/** Characters that each event in the list keeps. */
const lengths = new WeakMap();

function titleOf(line) {
  try {
    const { type, object } = JSON.parse(line);
    const { namespace, name, resourceVersion } = object.metadata ?? {};
    const place = [namespace, name].filter((part) => part !== undefined).join("/");
    return [type, place || object.message, resourceVersion].filter((part) => part !== undefined).join(" ");
  } catch {
    // Another representation than JSON was asked for.
    return line.slice(0, 80);
  }
}

function formatted(text) {
  try {
    return JSON.stringify(JSON.parse(text).object, null, 2);
  } catch {
    return text;
  }
}

document.getElementById("stop").addEventListener("click", () => stop());
