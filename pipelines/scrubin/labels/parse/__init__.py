"""What readers of label files parse with: text and JSON, fields, workbooks, places, boxes, lists of class names."""
