// Shows the events of a watch that is tried out, as they arrive, until it ends or is stopped.
const panel = document.getElementById("watch");
const list = document.getElementById("events");
const state = document.getElementById("watch-state");
/** Newest events that the page keeps. */
const EVENTS_MAX = 200;
/** Characters of one event that the page keeps. A longer one is shown cut. */
const EVENT_LENGTH_MAX = 100_000;

let stop = () => {};

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
  list.replaceChildren();
  panel.hidden = false;
  follow(answer.body, ending.signal);
  const text = "The watch has started. Its events are listed at the top of the page.";
  return new Response(text, { status: answer.status, headers: { "Content-Type": "text/plain" } });
}

async function follow(body, signal) {
  let count = 0;
  const say = (what) => {
    state.textContent = `${count} ${count === 1 ? "event" : "events"}, ${what}`;
  };
  say("waiting for more");
  try {
    for await (const line of linesOf(body)) {
      count += 1;
      show(line);
      say("waiting for more");
    }
    say("the server ended the watch");
  } catch (error) {
    if (signal.aborted) say("stopped");
    else say(`the watch was interrupted: ${error.message}`);
  }
}

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = value.split("\n");
    for (const end of lines.slice(0, -1)) {
      yield [...parts, end].join("");
      parts = [];
    }
    parts.push(lines.at(-1));
  }
}

/** The newest event stands first. */
function show(line) {
  const { title, text } = described(line);
  const summary = document.createElement("summary");
  summary.textContent = title;
  const content = document.createElement("pre");
  content.textContent = text.length > EVENT_LENGTH_MAX ? `${text.slice(0, EVENT_LENGTH_MAX)} …` : text;
  const item = document.createElement("details");
  item.append(summary, content);
  list.prepend(item);
  while (list.childElementCount > EVENTS_MAX) list.lastElementChild.remove();
}

function described(line) {
  try {
    const { type, object } = JSON.parse(line);
    const { namespace, name, resourceVersion } = object.metadata ?? {};
    const place = [namespace, name].filter((part) => part !== undefined).join("/");
    return {
      title: [type, place || object.message, resourceVersion].filter((part) => part !== undefined).join(" "),
      text: JSON.stringify(object, null, 2),
    };
  } catch {
    // Another representation than JSON was asked for.
    return { title: line.slice(0, 80), text: line };
  }
}

document.getElementById("stop").addEventListener("click", () => stop());
