"""The certificate: every rule that was applied, the clause it serves, the evidence, what people looked at, what remains."""
