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

const OWN = { accepted: "you hide it", rejected: "you show it", mixed: "you hide a part of it" };

/** What comes of a proposal about which somebody decided, where so many people must agree to show it. */
export const comesTo = (span, reviewers) => {
  if (span.disputed) return "people disagree: hidden";
  if (span.decision !== "unreviewed") return decisionName(span.decision);
  if (isAsked(span)) return `nothing is released before ${reviewers === 2 ? "a second person says" : `${reviewers} people say`} so, too`;
  return reviewers === 2 ? "hidden until a second person shows it too" : `hidden until ${reviewers} people show it`;
};

/** The same of any proposal, with the own answer while others may still answer otherwise. */
export const standsAs = (span, own, reviewers) => {
  if (own && reviewers > 1 && (span.disputed || span.decision === "unreviewed")) {
    return `${isAsked(span) && own === "rejected" ? "you say that it may be seen" : OWN[own]}; ${comesTo(span, reviewers)}`;
  }
  if (span.disputed || span.decision !== "unreviewed") return comesTo(span, reviewers);
  if (isAsked(span)) return "not answered: nothing is released before somebody answers";
  return `not decided: hidden unless ${reviewers === 1 ? "you show it" : `${reviewers} people show it`}`;
};
