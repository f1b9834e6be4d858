// Shares the sign-in among the pages of the server's origin, the console and the explorer. A token goes from the memory of one page to
// that of another, by a channel of the origin: it is in no storage, address or log. Pages that the server proxies have origins of their
// own and no access to the channel.
const CHANNEL = "server-sign-in";

/**
 * @param page what a page does:
 *   held() returns its token, and the name of its sign-in: { token, session }; undefined when it has none that the server accepts
 *   take({ token, session }) is called when another page gives its token
 *   end(session) is called when the user has signed out in another page
 * @returns what a page asks of others: `ask` for a token, `give` the page's own, tell the `end` of a sign-in
 */
export function shareSignIn({ held, take, end }) {
  const channel = new BroadcastChannel(CHANNEL);
  const give = () => {
    const mine = held();
    if (mine !== undefined) channel.postMessage({ kind: "give", token: mine.token, session: mine.session });
  };
  channel.addEventListener("message", ({ data }) => {
    if (data?.kind === "ask") give();
    else if (data?.kind === "give") take({ token: String(data.token), session: String(data.session) });
    else if (data?.kind === "end") end(String(data.session));
  });
  return {
    ask: () => channel.postMessage({ kind: "ask" }),
    give,
    end: (session) => channel.postMessage({ kind: "end", session }),
  };
}
