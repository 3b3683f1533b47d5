"""The review in the browser: a server for one person on this machine, and the page that it serves."""
