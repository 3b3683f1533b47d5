// The kinds of what is hidden, and of what the audit asks, as people say them.

const KINDS = {
  out_of_body: "outside the body",
  black: "black picture",
  frozen: "frozen picture",
  text: "text in the picture",
  other: "something else",
};

const DECISIONS = { accepted: "hidden", rejected: "shown", unreviewed: "not decided", mixed: "decided in part" };

/** What the audit saw in a finished release and asks about; what was read may be only like a private word. */
const ASKED = { out_of_body: "a face", text: "a private word" };

export const isAsked = (span) => span.source === "audit";
/** Ingest does not know whether files follow each other as they are listed. */
const SEAM = "files in doubt: is this the right place?";

export const spanName = (span) => {
  if (isAsked(span)) return `the audit asks: ${ASKED[span.kind]}`;
  return span.source === "seam" ? SEAM : kindName(span.kind);
};

export const kindName = (kind) => KINDS[kind] ?? kind;
export const decisionName = (decision) => DECISIONS[decision] ?? decision;
