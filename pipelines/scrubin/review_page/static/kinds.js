// The kinds of what is hidden, as people say them.

const KINDS = {
  out_of_body: "outside the body",
  black: "black picture",
  frozen: "frozen picture",
  text: "text in the picture",
  other: "something else",
};

const DECISIONS = { accepted: "hidden", rejected: "shown", unreviewed: "not decided", mixed: "decided in part" };

export const kindName = (kind) => KINDS[kind] ?? kind;
export const decisionName = (decision) => DECISIONS[decision] ?? decision;
