// Asks for the personal token, hands it to the server once, and goes on to the page.

const form = document.getElementById("enter-form");
const says = document.getElementById("enter-says");

async function enter(token) {
  const answer = await fetch("/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Scrubin": "1" },
    body: JSON.stringify({ token }),
  }).catch(() => null);
  if (answer?.ok) {
    // What stands behind the # says what is to be opened.
    location.replace(`/${location.hash}`);
    return;
  }
  const refused = await answer?.json().catch(() => null);
  says.textContent = refused?.error ?? "The server does not answer. Ask whoever leads the study.";
  says.className = "problem";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(document.getElementById("token").value.trim());
});
