// What apps ask, where a person answers with this page: as locationctl agent does on a terminal.
import { byId, el } from "/words.js";

/** One question: what is asked, the app's own reason, who really asks, and a button for each answer. */
function card(question, answer) {
  const precise = question.offersPrecise
    ? el("input", { type: "checkbox", checked: true, "aria-label": `Exact place for ${question.app}` }) : undefined;
  return el("section", { class: "question", "aria-label": question.title },
    el("strong", {}, question.title),
    question.reason ? el("p", {}, `“${question.reason}”`) : undefined,
    el("p", { class: "empty" }, `Asked by ${question.asker}`),
    precise ? el("label", {}, precise, " Exact place") : undefined,
    el("p", {}, ...question.answers.map((one) => el("button", {
      type: "button", "data-answer": one.answer,
      onclick: () => answer({
        app: question.app, number: question.number, answer: one.answer, precise: precise ? precise.checked : true,
      }),
    }, one.words))));
}

/** The cards that are shown: one stays as it is while others come and go, with what is chosen in it. */
let cards = new Map();

/** Shows whether this console answers, and what is open. */
export function renderQuestions(questions, answer) {
  byId("answers").checked = Boolean(questions?.on);
  const empty = (...text) => el("p", { class: "empty" }, ...text);
  const shown = new Map((questions?.open ?? []).map((question) => {
    const key = JSON.stringify(question);
    return [key, cards.get(key) ?? card(question, answer)];
  }));
  const place = byId("questions");
  if (shown.size > 0) {
    for (const child of [...place.children]) if (![...shown.values()].includes(child)) child.remove();
    for (const one of shown.values()) if (one.parentNode !== place) place.append(one);
  } else {
    place.replaceChildren(questions?.problem
      ? el("p", { class: "bad" }, `${questions.problem}. Next: ${questions.next ?? "run locationctl doctor"}`)
      : !questions?.on ? empty("Off: other agents are asked, as the configuration says. It ends with this page.")
        : empty(questions.attending ? "No app asks. A question appears here." : "Looking for the location daemon…"));
  }
  cards = shown;
}
