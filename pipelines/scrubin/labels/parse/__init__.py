"""What readers of label files parse with: text or JSON, fields, workbooks, boxes, lists of class names."""
