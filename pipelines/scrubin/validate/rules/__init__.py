"""Rules that span rows or tables; each says per row of a table whether it is broken."""
