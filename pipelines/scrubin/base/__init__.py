"""What every wing needs, no wing owns: errors, files, the store, tables, vocabularies."""
