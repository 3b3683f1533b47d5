// Takes the token out of the address, hands it to the server once, and goes on to the page.

const token = location.hash.slice(1);
// Neither the history nor a bookmark shall keep it.
history.replaceState(null, "", location.pathname);
const says = document.getElementById("entering");

const answer = await fetch("/enter", {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-Scrubin": "1" },
  body: JSON.stringify({ token }),
}).catch(() => null);

if (answer?.ok) {
  location.replace("/");
} else {
  const refused = await answer?.json().catch(() => null);
  says.textContent = refused?.error ?? "The server does not answer. Start 'scrubin review' again.";
}
