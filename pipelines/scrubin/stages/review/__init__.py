"""What people decided and saw of a study, as evidence: the ledger, what stands, what is missing."""
