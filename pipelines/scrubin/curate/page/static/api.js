// Requests to the server, one way for all of them: what is refused has a sentence, what fails for a moment is tried again.

const AGAIN_MS = 2000;
const MOST_DECODINGS = 3;
// A connection that died, as of a machine that slept, never answers. Whole films may be read for a picture.
const LONGEST_MS = { json: 60_000, bytes: 300_000 };
// A server that is only slow must be able to answer some time.
const MOST_MS = 3_600_000;
let onTrouble = () => {};
// One that is answered says nothing of another that still waits.
const troubles = new Map();
let edition = null;

/** From now on numbers mean the files of this edition of the study. */
export function useEdition(name) {
  edition = name;
}

/** The server refuses; the message is a sentence for the person. What was sent before, and was not answered, may stand all the same. */
export class Refused extends Error {
  isUnsure = false;

  constructor(status, sentence, again) {
    super(sentence);
    this.status = status;
    this.again = again;
  }
}

/** What became of something that was sent and came to an error: only where each try was answered is it known. */
export const untaken = (name, error) => `${name}: ${error.isUnsure === false ? "not taken" : "not confirmed, so see whether it stands"}: ${error.message}`;

/** Whether the page starts anew by itself: nobody need be asked. */
export const leaving = { isOwn: false };

/** Call `show(sentence or null)` when the server cannot be reached or the pipeline runs, and when it is over. */
export function watchTrouble(show) {
  onTrouble = show;
}

function tell(request, sentence) {
  troubles.delete(request);
  if (sentence !== null) troubles.set(request, sentence);
  onTrouble([...troubles.values()].at(-1) ?? null);
}

/** A name for one request, so that its repetition is not a second one. */
export function nonce() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the JSON of an address. */
export async function get(path, signal) {
  return persistently(path, { signal }, inJson);
}

/** Return the bytes of an address. */
export async function getBytes(path, signal) {
  return persistently(path, { signal }, (answer) => answer.arrayBuffer(), LONGEST_MS.bytes);
}

/** Return the picture of an address; one that arrives whole, again and again, and cannot be decoded is refused. */
export async function getPicture(path, signal) {
  let tries = 0;
  const decoded = async (answer) => {
    const bytes = await answer.blob();
    tries += 1;
    return createImageBitmap(bytes).catch((error) => {
      throw tries < MOST_DECODINGS ? error : new Refused(answer.status, `the browser cannot decode this picture (${error.message})`, false);
    });
  };
  return persistently(path, { signal }, decoded, LONGEST_MS.bytes);
}

/** Send a JSON body, as it is at each try, and return the JSON of the answer: what was answered is written. */
export async function post(path, body, { keepalive = false } = {}) {
  const options = {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Scrubin": "1" },
    get body() {
      return JSON.stringify(body);
    },
    keepalive,
  };
  return keepalive ? inJson(await once(path, { ...options, signal: AbortSignal.timeout(LONGEST_MS.json) })) : persistently(path, options, inJson);
}

const inJson = (answer) => answer.json();

/** Ask until there is an answer that can be read to its end: one that breaks off, or is broken, is none. */
async function persistently(path, options, read, longestMs = LONGEST_MS.json) {
  const request = Symbol(path);
  try {
    return await untilAnswered(request, path, options, read, longestMs);
  } finally {
    tell(request, null);
  }
}

async function untilAnswered(request, path, options, read, longestMs) {
  let isUnsure = false;
  for (let patienceMs = longestMs; ; ) {
    options.signal?.throwIfAborted();
    const attempt = new AbortController();
    const end = () => attempt.abort();
    const late = setTimeout(end, patienceMs);
    options.signal?.addEventListener("abort", end);
    try {
      const answer = await read(await once(path, { ...options, signal: attempt.signal }));
      options.signal?.throwIfAborted();
      return answer;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof Refused && !error.again) throw Object.assign(error, { isUnsure });
      isUnsure ||= !(error instanceof Refused);
      if (attempt.signal.aborted) patienceMs = Math.min(2 * patienceMs, MOST_MS);
      tell(
        request,
        error instanceof Refused
          ? error.message
          : "The server does not answer, or not to the end; trying again. What it confirmed is kept. If it was closed, it must be started again.",
      );
    } finally {
      clearTimeout(late);
      options.signal?.removeEventListener("abort", end);
    }
    await pause(AGAIN_MS, options.signal);
  }
}

async function once(path, options) {
  const headers = { ...options.headers, ...(edition === null ? {} : { "X-Scrubin-Study": edition }) };
  const answer = await fetch(path, { credentials: "same-origin", ...options, headers });
  if (answer.ok) return answer;
  const refused = await answer.json().catch(() => ({}));
  if (refused.reload) {
    leaving.isOwn = true;
    location.reload();
  }
  throw new Refused(answer.status, refused.error ?? `the server answered ${answer.status}`, refused.again === true);
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("no longer wanted", "AbortError"));
    });
  });
}
