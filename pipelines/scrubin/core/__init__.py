"""What every stage needs and no stage owns: parameters, files, the store."""
