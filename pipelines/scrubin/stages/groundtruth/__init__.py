"""Stage groundtruth: from the tables, exactly what each metric takes."""
