"""How far raters agree: concordance, kappa, alpha, intraclass correlation."""
